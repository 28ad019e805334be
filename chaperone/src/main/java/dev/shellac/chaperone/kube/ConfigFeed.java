package dev.shellac.chaperone.kube;

import com.fasterxml.jackson.core.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The Gateway's ConfigMap. Its parts are fetched when it lists them, again and again while they do not fit; the configuration that was
 * put together before stays until the next one is whole.
 */
public final class ConfigFeed implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ConfigFeed.class.getName());

    private final ApiServer api;
    private final ListWatch.Pace pace;
    private final String path;
    private final String name;
    private final Runnable changed;
    private final Thread thread;
    private @Nullable ListWatch<Node> watch;
    private Optional<Node> latest = Optional.empty();
    private volatile Optional<PodConfig> known = Optional.empty();
    private volatile Optional<String> unread = Optional.of("the ConfigMap was not read yet");
    private volatile Optional<String> missing = Optional.empty();

    ConfigFeed(ApiServer api, ListWatch.Pace pace, String namespace, String name, Runnable changed) {
        this.api = api;
        this.pace = pace;
        this.path = "/api/v1/namespaces/" + namespace + "/configmaps";
        this.name = name;
        this.changed = changed;
        this.thread = Thread.ofVirtual().name("configmap").unstarted(this::run);
    }

    void start() {
        thread.start();
        watch = ListWatch.start(
                api,
                new ListWatch.Target(path, "fieldSelector=metadata.name%3D" + name),
                object -> object,
                new Only(),
                pace);
    }

    /** The last one that was whole. */
    public Optional<PodConfig> known() {
        return known;
    }

    /** Why the ConfigMap cannot be read right now, or that there is none. */
    public Optional<String> fault() {
        return unread.or(() -> missing);
    }

    private void run() {
        try {
            Optional<Node> done = Optional.empty();
            int failures = 0;
            while (true) {
                Node next = next(done);
                if (resolve(next)) {
                    done = Optional.of(next);
                    failures = 0;
                } else {
                    pause(next, pace.backoff().delay(++failures, pace.chance()).toMillis());
                }
            }
        } catch (InterruptedException e) {
            LOG.log(Level.DEBUG, "the ConfigMap is not read any more");
        }
    }

    private synchronized Node next(Optional<Node> done) throws InterruptedException {
        while (latest.isEmpty() || latest.equals(done)) {
            wait();
        }
        return latest.get();
    }

    // A newer one is not kept waiting.
    private synchronized void pause(Node failed, long millis) throws InterruptedException {
        long deadline = System.nanoTime() + Duration.ofMillis(millis).toNanos();
        long left = millis;
        while (left > 0 && latest.equals(Optional.of(failed))) {
            wait(left);
            left = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
        }
    }

    private boolean resolve(Node configMap) throws InterruptedException {
        String version = configMap.get("metadata").get("resourceVersion").text();
        Optional<String> vcl = text(configMap, "main.vcl");
        Optional<String> haproxy = text(configMap, "haproxy.cfg");
        try {
            Optional<RoutingFile> routing = ConfigReading.routing(configMap, this::get);
            publish(new PodConfig(version, routing, vcl, haproxy, Optional.empty()));
            return true;
        } catch (IOException e) {
            String why = String.valueOf(e.getMessage());
            LOG.log(Level.WARNING, "ConfigMap {0}, version {1}: {2}", name, version, why);
            publish(new PodConfig(version, known.flatMap(PodConfig::routing), vcl, haproxy, Optional.of(why)));
            return false;
        }
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
        if (watch != null) {
            watch.close();
        }
        thread.interrupt();
    }

    /** What is heard of the one ConfigMap. One that is gone is as it was: a mistake there must not take anything down. */
    private final class Only implements ListWatch.Listener<Node> {
        @Override
        public void listed(Map<String, Node> all) {
            changed(name, Optional.ofNullable(all.get(name)));
        }

        @Override
        public void changed(String changedName, Optional<Node> now) {
            if (!changedName.equals(name) || now.isEmpty()) {
                missing = Optional.of("there is no ConfigMap " + name);
                ConfigFeed.this.changed.run();
                return;
            }
            missing = Optional.empty();
            synchronized (ConfigFeed.this) {
                latest = now;
                ConfigFeed.this.notifyAll();
            }
        }

        @Override
        public void fault(Optional<String> why) {
            unread = why;
            ConfigFeed.this.changed.run();
        }
    }
}
