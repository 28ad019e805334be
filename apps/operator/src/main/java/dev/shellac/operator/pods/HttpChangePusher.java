package dev.shellac.operator.pods;

import dev.shellac.varnishconfig.changes.ChangeSet;
import dev.shellac.varnishconfig.changes.ChangeSignature;
import dev.shellac.varnishconfig.changes.KeyAgreementShare;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Asks pods by HTTP to take changes. They know them for this process's by a seal, which is made with a key that they tell with their state and one that
 * is in what this process writes; so who can read either of them, or ask pods for anything, cannot change what they serve.
 */
public final class HttpChangePusher implements ChangePusher, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(HttpChangePusher.class.getName());
    private static final Duration TAKEN_WITHIN = Duration.ofMillis(250);
    /** With all of what it says; the timeout of a request ends with the head of its answer. */
    private static final Duration ANSWERED_WITHIN = Duration.ofSeconds(2);

    private static final int MOST_ANSWERED = 16 * 1024;
    private static final int TAKEN = 200;
    private static final int MOST_REMEMBERED = 1024;

    private final Function<PodRegistry.Key, PodRegistry.GatewayPods> podRegistry;
    private final Function<PodRegistry.Key, String> tokens;
    private final int port;
    private final KeyAgreementShare share =
            new KeyAgreementShare(KeyAgreementShare.keys().generateKeyPair());
    private final AtomicLong number = new AtomicLong();
    private final Map<String, ChangeSignature> signatures = lasting();
    // States in which a pod did not take something; it is asked again when it has told another.
    private final Map<String, Boolean> refusing = Collections.synchronizedMap(lasting());
    // By pod, while something is being sent to it: the push that follows.
    private final Map<String, Optional<Push>> sending = new HashMap<>();
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TAKEN_WITHIN)
            .build();

    private record Recipient(Pod pod, PodState state, ChangeSignature signature) {
        String stateKey() {
            return pod.uid() + " " + state.version();
        }
    }

    private record Push(Recipient recipient, String token, ChangeSet changeSet, Runnable lost) {
        String pod() {
            return recipient.pod().uid();
        }
    }

    /** To the pods of a fleet, on the port where they tell their state. */
    public static HttpChangePusher to(PodRegistry podRegistry, PodRegistry.Gateways gateways) {
        return new HttpChangePusher(podRegistry::of, gateways::token, StatePoll.PORT);
    }

    HttpChangePusher(
            Function<PodRegistry.Key, PodRegistry.GatewayPods> podRegistry,
            Function<PodRegistry.Key, String> tokens,
            int port) {
        this.port = port;
        this.podRegistry = podRegistry;
        this.tokens = tokens;
    }

    @Override
    public ChangeSet.Revision nextRevision() {
        return new ChangeSet.Revision(share.open(), number.incrementAndGet());
    }

    @Override
    public boolean push(PodRegistry.Key gateway, ChangeSet changeSet, Runnable lost) {
        PodRegistry.GatewayPods gatewayPods = podRegistry.apply(gateway);
        List<Pod> serving = gatewayPods.pods().stream()
                .filter(pod -> pod.ready() && pod.endpoint().isPresent())
                .toList();
        List<Recipient> willing = serving.stream()
                .flatMap(pod -> recipient(pod, gatewayPods).stream())
                .filter(recipient -> !refusing.containsKey(recipient.stateKey()))
                .toList();
        willing.forEach(recipient -> send(new Push(recipient, tokens.apply(gateway), changeSet, lost)));
        return willing.size() == serving.size();
    }

    private Optional<Recipient> recipient(Pod pod, PodRegistry.GatewayPods gatewayPods) {
        PodState state = gatewayPods.states().get(pod.uid());
        if (state == null || state.key().isEmpty()) {
            return Optional.empty();
        }
        Optional<ChangeSignature> signature =
                Optional.ofNullable(signatures.get(state.key())).or(() -> share.with(state.key()));
        signature.ifPresent(found -> signatures.put(state.key(), found));
        return signature.map(found -> new Recipient(pod, state, found));
    }

    // A pod takes one change set at a time and rejects older ones. Change sets are cumulative, so a newer one replaces
    // one that waits, and its callback reports a failure of both.
    private void send(Push push) {
        synchronized (sending) {
            if (sending.containsKey(push.pod())) {
                sending.put(push.pod(), Optional.of(push));
                return;
            }
            sending.put(push.pod(), Optional.empty());
        }
        Thread.startVirtualThread(() -> {
            Optional<Push> next = Optional.of(push);
            while (next.isPresent()) {
                post(next.get());
                next = following(push.pod());
            }
        });
    }

    private Optional<Push> following(String pod) {
        synchronized (sending) {
            Optional<Push> next = Optional.ofNullable(sending.remove(pod)).flatMap(found -> found);
            if (next.isPresent()) {
                sending.put(pod, Optional.empty());
            }
            return next;
        }
    }

    private void post(Push push) {
        refusal(push).ifPresent(why -> {
            LOG.log(
                    Level.DEBUG,
                    "{0} does not take changes: {1}",
                    push.recipient().pod().name(),
                    why);
            refusing.put(push.recipient().stateKey(), true);
            push.lost().run();
        });
    }

    private Optional<String> refusal(Push push) {
        try {
            return refusal(push.recipient(), push.token(), push.changeSet());
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "sending changes to " + push.recipient().pod().name() + " failed", e);
            return Optional.of(e.toString());
        }
    }

    private Optional<String> refusal(Recipient recipient, String token, ChangeSet changeSet) {
        String endpoint = recipient.pod().endpoint().orElseThrow();
        var request = HttpRequest.newBuilder(URI.create("http://" + endpoint + ":" + port + ChangeSet.PATH))
                .timeout(TAKEN_WITHIN)
                .header(StatePoll.TOKEN_HEADER, token)
                .header(ChangeSet.WRITER, changeSet.revision().writer())
                .header(ChangeSet.NUMBER, String.valueOf(changeSet.revision().number()))
                .header(ChangeSet.BASE, changeSet.base())
                .header(ChangeSet.SIGNATURE, recipient.signature().of(changeSet))
                .POST(BodyPublishers.ofString(changeSet.json()))
                .build();
        try {
            HttpResponse<String> response = answer(request);
            return response.statusCode() == TAKEN
                    ? Optional.empty()
                    : Optional.of(response.body().strip());
        } catch (IOException e) {
            return Optional.of(e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of("this process ends");
        }
    }

    private HttpResponse<String> answer(HttpRequest request) throws IOException, InterruptedException {
        var pending = http.sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofString(), MOST_ANSWERED));
        try {
            return pending.get(ANSWERED_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException(String.valueOf(e.getCause() == null ? e : e.getCause()), e);
        } finally {
            pending.cancel(true);
        }
    }

    private static <K, V> Map<K, V> lasting() {
        return new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > MOST_REMEMBERED;
            }
        };
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
