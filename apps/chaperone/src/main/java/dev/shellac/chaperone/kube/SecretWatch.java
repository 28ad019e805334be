package dev.shellac.chaperone.kube;

import com.fasterxml.jackson.core.JsonParser;
import dev.shellac.model.Secret;
import dev.shellac.threads.Supervisor;
import dev.shellac.varnishconfig.edge.CertificateParts;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The Secrets with the certificates of the Gateway: an index, which is watched, and the parts that it lists, each fetched when its hash is a new one. A set counts
 * only when every hash fits; until then the one before stays. One that is gone is as it was: a mistake there must not take anything down. Nobody gets any of them
 * before they are released: what runs beside them is looked at first.
 */
public final class SecretWatch implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(SecretWatch.class.getName());
    static final String INDEX = "-index";

    private final ApiServer api;
    private final ListWatch.Pace pace;
    private final String path;
    private final String prefix;
    private final Runnable changed;
    private final Thread thread;
    private final ListWatch<Node> watch;
    private Seen seen = new Seen(0, Optional.empty());
    private volatile Optional<TlsBundle> known = Optional.empty();
    private volatile Optional<String> unread = Optional.of("the Secret was not read yet");
    private volatile Optional<String> missing = Optional.empty();
    private volatile Optional<String> unfit = Optional.empty();
    private volatile boolean gone;
    private volatile boolean answered;
    private volatile boolean released;
    private volatile Optional<Node> index = Optional.empty();

    /** The index as it was heard last, with a number to tell it from others. */
    private record Seen(long number, Optional<Node> index) {}

    private SecretWatch(ApiServer api, ListWatch.Pace pace, String namespace, String prefix, Runnable changed) {
        this.api = api;
        this.pace = pace;
        this.path = "/api/v1/namespaces/" + namespace + "/secrets";
        this.prefix = prefix;
        this.changed = changed;
        this.thread = Supervisor.PROCESS.thread("certificates", this::run);
        this.watch = ListWatch.start(
                api,
                new ListWatch.Target(path, "fieldSelector=metadata.name%3D" + prefix + INDEX),
                node -> node,
                new Index(),
                pace);
    }

    static SecretWatch start(ApiServer api, ListWatch.Pace pace, String namespace, String prefix, Runnable changed) {
        var watch = new SecretWatch(api, pace, namespace, prefix, changed);
        watch.thread.start();
        return watch;
    }

    /** The last set that was whole, once it may be used. */
    public Optional<TlsBundle> known() {
        return released ? known : Optional.empty();
    }

    /** From now on they may be used. */
    public void release() {
        released = true;
        changed.run();
    }

    /** The next ones are to be released again; not if there are some again meanwhile, of which none may get lost. */
    public synchronized boolean withhold() {
        if (!gone) {
            return false;
        }
        released = false;
        known = Optional.empty();
        return true;
    }

    public boolean isReleased() {
        return released;
    }

    /** Whether the API server has said anything about it yet, if only that it cannot be read. */
    public boolean isAnswered() {
        return answered;
    }

    /** Whether an index was read, one that is gone meanwhile included. */
    public boolean hasIndex() {
        return index.isPresent();
    }

    /** Whether the newest index names a main.vcl of this hash. */
    public boolean isNamed(String vclHash) {
        return index.filter(node -> CertificateIndex.namesVcl(node, vclHash)).isPresent();
    }

    /** Whether there is none now, as is known and not only feared. */
    public boolean isGone() {
        return gone;
    }

    /** Why it cannot be read right now, or that there is none. */
    public Optional<String> fault() {
        return unread.or(() -> missing).or(() -> unfit);
    }

    @Override
    public void close() {
        watch.close();
        thread.interrupt();
    }

    private void run() throws InterruptedException {
        long done = 0;
        int failures = 0;
        Map<String, SortedMap<String, Secret>> parts = Map.of();
        Optional<Duration> wait = Optional.empty();
        while (true) {
            Seen now = next(done, wait);
            failures = now.number() == done ? failures : 0;
            done = now.number();
            wait = Optional.empty();
            if (now.index().isEmpty()) {
                continue;
            }
            try {
                parts = parts(now.index().get(), parts);
                publish(now.index().get(), parts);
            } catch (IOException e) {
                LOG.log(Level.INFO, "the certificates of before stay: {0}", e.getMessage());
                wait = Optional.of(unfit(String.valueOf(e.getMessage()), ++failures));
            } catch (RuntimeException e) {
                // What nobody foresaw in a Secret is no reason to start the pod anew.
                Supervisor.PROCESS.survived("certificates", e);
                wait = Optional.of(unfit(e.toString(), ++failures));
            }
        }
    }

    private Duration unfit(String why, int failures) {
        unfit = Optional.of(why);
        changed.run();
        return pace.backoff().delay(failures, pace.chance());
    }

    // Something newer than that; or the same again, after a while.
    private synchronized Seen next(long done, Optional<Duration> most) throws InterruptedException {
        long deadline = System.nanoTime() + most.orElse(Duration.ZERO).toNanos();
        while (seen.number() == done) {
            long left = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
            if (most.isPresent() && left <= 0) {
                break;
            }
            wait(most.isPresent() ? left : 0);
        }
        return seen;
    }

    // By hash, so that a part that has not changed is not fetched again.
    private Map<String, SortedMap<String, Secret>> parts(Node index, Map<String, SortedMap<String, Secret>> before)
            throws IOException, InterruptedException {
        var parts = new HashMap<String, SortedMap<String, Secret>>();
        for (CertificateIndex.Part part : CertificateIndex.parts(index, prefix)) {
            SortedMap<String, Secret> files = before.get(part.hash());
            parts.put(part.hash(), files == null ? fetched(part) : files);
        }
        return parts;
    }

    private SortedMap<String, Secret> fetched(CertificateIndex.Part part) throws IOException, InterruptedException {
        try (InputStream body = api.get(path + "/" + part.name());
                JsonParser parser = JacksonJson.FACTORY.createParser(body)) {
            parser.nextToken();
            SortedMap<String, Secret> files = TlsBundle.files(Node.of(JacksonJson.value(parser)));
            if (!CertificateParts.hash(files).equals(part.hash())) {
                throw new IOException("Secret " + part.name() + " has another hash than " + prefix + INDEX + " says");
            }
            return files;
        }
    }

    private void publish(Node index, Map<String, SortedMap<String, Secret>> parts) {
        var pieces = new TreeMap<String, Secret>();
        parts.values().forEach(pieces::putAll);
        var bundle = new TlsBundle(CertificateParts.joined(pieces), CertificateIndex.config(index));
        synchronized (this) {
            // What was withheld does not come back with those that were still being read.
            known = gone && !released ? Optional.empty() : Optional.of(bundle);
        }
        unfit = Optional.empty();
        changed.run();
    }

    private final class Index implements ListWatch.Handler<Node> {
        @Override
        public void listed(Map<String, Node> all) {
            changed(prefix + INDEX, Optional.ofNullable(all.get(prefix + INDEX)));
        }

        @Override
        public void changed(String changedName, Optional<Node> now) {
            if (!changedName.equals(prefix + INDEX)) {
                return;
            }
            synchronized (SecretWatch.this) {
                index = now.or(() -> index);
                gone = now.isEmpty();
                if (now.isPresent()) {
                    seen = new Seen(seen.number() + 1, now);
                    SecretWatch.this.notifyAll();
                }
            }
            answered = true;
            missing = now.isPresent() ? Optional.empty() : Optional.of("there is no Secret " + changedName);
            changed.run();
        }

        @Override
        public void fault(Optional<String> why) {
            unread = why;
            if (why.isPresent()) {
                answered = true;
            }
            changed.run();
        }
    }
}
