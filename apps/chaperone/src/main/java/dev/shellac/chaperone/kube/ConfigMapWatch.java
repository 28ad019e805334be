package dev.shellac.chaperone.kube;

import com.fasterxml.jackson.core.JsonParser;
import dev.shellac.threads.Supervisor;
import dev.shellac.varnishconfig.changes.ChangeSet;
import dev.shellac.varnishconfig.changes.ChangeSignature;
import dev.shellac.varnishconfig.changes.KeyAgreementShare;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The Gateway's ConfigMap, and that of the changes since. Parts are fetched when they are listed, again and again while they do not fit; the configuration
 * that was put together before stays until the next one is whole. A file whose changes are of another one waits for its own, for a
 * moment; then it counts alone.
 */
public final class ConfigMapWatch implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ConfigMapWatch.class.getName());
    private static final Duration FITS_WITHIN = Duration.ofSeconds(2);
    private static final String CHANGES = "-changes";
    // What is made of a routing.json takes four times its size, and it is there itself while it is read.
    private static final int HEAP_PER_FILE = 6;

    private final KeyAgreementShare share;
    private final ApiServer api;
    private final ListWatch.Pace pace;
    private final String path;
    private final String name;
    private final Runnable changed;
    private final Thread thread;
    private final List<ListWatch<Node>> watches = new ArrayList<>();
    private Seen seen = new Seen(0, Optional.empty(), ConfigChanges.UNKNOWN);
    private volatile Optional<PodConfig> known = Optional.empty();
    private volatile Optional<String> unread = Optional.of("the ConfigMap was not read yet");
    private volatile Optional<String> missing = Optional.empty();
    private volatile Optional<String> unforeseen = Optional.empty();
    private volatile Optional<Writer> writer = Optional.empty();

    /** Who writes the changes, as the ConfigMap says it. */
    private record Writer(String open, ChangeSignature signature) {}

    /** What was heard last, with a number to tell it from others. */
    private record Seen(long number, Optional<Node> configMap, ConfigChanges changes) {}

    /** A ConfigMap that was put together. */
    private record Whole(Node configMap, PodConfig config) {}

    ConfigMapWatch(ApiServer api, ListWatch.Pace pace, String namespace, String name, Runnable changed) {
        this.share = new KeyAgreementShare(KeyAgreementShare.keys().generateKeyPair());
        this.api = api;
        this.pace = pace;
        this.path = "/api/v1/namespaces/" + namespace + "/configmaps";
        this.name = name;
        this.changed = changed;
        this.thread = Supervisor.PROCESS.thread("configmap", this::run);
    }

    void start() {
        thread.start();
        watches.add(watch(name, new Only()));
        watches.add(watch(name + CHANGES, new Changes()));
    }

    private ListWatch<Node> watch(String object, ListWatch.Handler<Node> handler) {
        var target = new ListWatch.Target(path, "fieldSelector=metadata.name%3D" + object);
        return ListWatch.start(api, target, node -> node, handler, pace);
    }

    /** The last one that was whole. */
    public Optional<PodConfig> known() {
        return known;
    }

    /** Why the ConfigMap cannot be read right now, or that there is none. */
    public Optional<String> fault() {
        return unread.or(() -> missing).or(() -> unforeseen);
    }

    /** What a writer needs to know to seal what it sends here. */
    public String openKey() {
        return share.open();
    }

    /** Changes that came straight here, and whether they are taken: from the one who writes the ConfigMap, newer than what is known, and of the file that is served. */
    public boolean take(ChangeSet changeSet, String signature) {
        if (writer.filter(known -> known.open().equals(changeSet.revision().writer())
                        && known.signature().verifies(changeSet, signature))
                .isEmpty()) {
            return false;
        }
        boolean isOfThis = known.flatMap(PodConfig::routing)
                .filter(file -> file.wholeHash().equals(changeSet.base()))
                .isPresent();
        if (!isOfThis) {
            return false;
        }
        synchronized (this) {
            Optional<ConfigChanges> next = seen.changes().told(changeSet);
            next.ifPresent(this::heard);
            return next.isPresent();
        }
    }

    private synchronized void heard(ConfigChanges changes) {
        seen = new Seen(seen.number() + 1, seen.configMap(), changes);
        notifyAll();
    }

    // Known before any changes of theirs come.
    private void meet(String open) {
        if (writer.filter(known -> known.open().equals(open)).isEmpty()) {
            writer = share.with(open).map(signature -> new Writer(open, signature));
        }
    }

    private void run() throws InterruptedException {
        long done = 0;
        int failures = 0;
        Optional<Whole> whole = Optional.empty();
        var mismatch = new BaseMismatchTimeout(FITS_WITHIN);
        Optional<Duration> wait = Optional.empty();
        while (true) {
            Seen now = next(done, wait);
            done = now.number();
            wait = Optional.empty();
            if (now.configMap().isEmpty()) {
                continue;
            }
            try {
                whole = whole(now.configMap().get(), whole);
                if (whole.isPresent()) {
                    wait = publish(whole.get().config(), now.changes(), mismatch);
                    failures = 0;
                    unforeseen = Optional.empty();
                    continue;
                }
            } catch (RuntimeException e) {
                // What nobody foresaw in a ConfigMap is no reason to start the pod anew.
                Supervisor.PROCESS.survived("configmap", e);
                unforeseen = Optional.of(e.toString());
            }
            wait = Optional.of(pace.backoff().delay(++failures, pace.chance()));
        }
    }

    // How long what does not fit is still waited for.
    private Optional<Duration> publish(PodConfig config, ConfigChanges changes, BaseMismatchTimeout mismatch) {
        Optional<RoutingFile> fitting = config.routing().flatMap(changes::of);
        Optional<Duration> wait =
                mismatch.left(fitting.isPresent() || config.routing().isEmpty(), System.nanoTime());
        publish(config.with(fitting.or(() -> unfitting(config, wait.isPresent()))));
        return wait;
    }

    // What is served stays while its file is the one that is there: then changes of the next one have come before it.
    private Optional<RoutingFile> unfitting(PodConfig config, boolean waits) {
        Optional<RoutingFile> served = known.flatMap(PodConfig::routing);
        return waits || isSameFile(served, config.routing()) ? served : config.routing();
    }

    private static boolean isSameFile(Optional<RoutingFile> one, Optional<RoutingFile> other) {
        return one.map(RoutingFile::wholeHash).equals(other.map(RoutingFile::wholeHash));
    }

    // Something newer than that; or the same again, after a while.
    private synchronized Seen next(long done, Optional<Duration> most) throws InterruptedException {
        long deadline = System.nanoTime() + most.orElse(Duration.ZERO).toNanos();
        while (seen.number() == done) {
            if (most.isEmpty()) {
                wait();
                continue;
            }
            long left = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
            if (left <= 0) {
                break;
            }
            wait(left);
        }
        return seen;
    }

    @SuppressWarnings("ReferenceEquality") // the same object that was heard before
    private Optional<Whole> whole(Node configMap, Optional<Whole> before) throws InterruptedException {
        if (before.filter(found -> found.configMap() == configMap).isPresent()) {
            return before;
        }
        var config = new PodConfig(
                configMap.get("metadata").get("resourceVersion").text(),
                Optional.empty(),
                text(configMap, "main.vcl"),
                text(configMap, "main.vcl.good"),
                text(configMap, "haproxy.cfg"),
                Optional.empty());
        try {
            return Optional.of(new Whole(configMap, config.with(ConfigReading.routing(configMap, this::get, most()))));
        } catch (IOException e) {
            String why = String.valueOf(e.getMessage());
            LOG.log(Level.WARNING, "ConfigMap {0}, version {1}: {2}", name, config.version(), why);
            publish(new PodConfig(
                    config.version(),
                    known.flatMap(PodConfig::routing),
                    config.vcl(),
                    config.goodVcl(),
                    config.haproxy(),
                    Optional.of(why)));
            return Optional.empty();
        }
    }

    private static int most() {
        return (int) Math.min(Integer.MAX_VALUE, Runtime.getRuntime().maxMemory() / HEAP_PER_FILE);
    }

    private static Optional<String> text(Node configMap, String key) {
        return Optional.of(configMap.get("data").get(key).text()).filter(text -> !text.isBlank());
    }

    private void publish(PodConfig config) {
        known = Optional.of(config);
        changed.run();
    }

    private Node get(String part) throws IOException, InterruptedException {
        try (InputStream body = api.get(path + "/" + part);
                JsonParser parser = JacksonJson.FACTORY.createParser(body)) {
            parser.nextToken();
            return Node.of(JacksonJson.value(parser));
        }
    }

    @Override
    public void close() {
        watches.forEach(ListWatch::close);
        thread.interrupt();
    }

    /** What is heard of the one ConfigMap. One that is gone is as it was: a mistake there must not take anything down. */
    private final class Only implements ListWatch.Handler<Node> {
        @Override
        public void listed(Map<String, Node> all) {
            changed(name, Optional.ofNullable(all.get(name)));
        }

        @Override
        public void changed(String changedName, Optional<Node> now) {
            if (!changedName.equals(name) || now.isEmpty()) {
                missing = Optional.of("there is no ConfigMap " + name);
                ConfigMapWatch.this.changed.run();
                return;
            }
            missing = Optional.empty();
            synchronized (ConfigMapWatch.this) {
                seen = new Seen(seen.number() + 1, now, seen.changes());
                ConfigMapWatch.this.notifyAll();
            }
        }

        @Override
        public void fault(Optional<String> why) {
            unread = why;
            ConfigMapWatch.this.changed.run();
        }
    }

    /** What is heard of the changes. */
    private final class Changes implements ListWatch.Handler<Node> {
        @Override
        public void listed(Map<String, Node> all) {
            changed(name + CHANGES, Optional.ofNullable(all.get(name + CHANGES)));
        }

        @Override
        public void changed(String changedName, Optional<Node> now) {
            if (changedName.equals(name + CHANGES)) {
                heard(now);
            }
        }

        private void heard(Optional<Node> now) {
            synchronized (ConfigMapWatch.this) {
                ConfigChanges next = seen.changes().seen(now);
                meet(next.writer());
                ConfigMapWatch.this.heard(next);
            }
        }

        @Override
        public void fault(Optional<String> why) {
            if (why.isPresent()) {
                synchronized (ConfigMapWatch.this) {
                    ConfigMapWatch.this.heard(seen.changes().unread());
                }
            }
        }
    }
}
