package dev.shellac.chaperone.kube;

import java.util.Map;
import java.util.Optional;

/** One Secret by name. One that is gone is as it was: a mistake there must not take anything down. */
public final class SecretFeed implements AutoCloseable {
    private final String name;
    private final Runnable changed;
    private final ListWatch<TlsBundle> watch;
    private volatile Optional<TlsBundle> known = Optional.empty();
    private volatile Optional<String> unread = Optional.of("the Secret was not read yet");
    private volatile Optional<String> missing = Optional.empty();

    private SecretFeed(ApiServer api, ListWatch.Pace pace, String namespace, String name, Runnable changed) {
        this.name = name;
        this.changed = changed;
        this.watch = ListWatch.start(
                api,
                new ListWatch.Target(
                        "/api/v1/namespaces/" + namespace + "/secrets", "fieldSelector=metadata.name%3D" + name),
                TlsBundle::decode,
                new Only(),
                pace);
    }

    static SecretFeed start(ApiServer api, ListWatch.Pace pace, String namespace, String name, Runnable changed) {
        return new SecretFeed(api, pace, namespace, name, changed);
    }

    /** The last one that there was. */
    public Optional<TlsBundle> known() {
        return known;
    }

    /** Why it cannot be read right now, or that there is none. */
    public Optional<String> fault() {
        return unread.or(() -> missing);
    }

    @Override
    public void close() {
        watch.close();
    }

    private final class Only implements ListWatch.Listener<TlsBundle> {
        @Override
        public void listed(Map<String, TlsBundle> all) {
            changed(name, Optional.ofNullable(all.get(name)));
        }

        @Override
        public void changed(String changedName, Optional<TlsBundle> now) {
            if (changedName.equals(name)) {
                missing = now.isPresent() ? Optional.empty() : Optional.of("there is no Secret " + name);
                known = now.or(() -> known);
                changed.run();
            }
        }

        @Override
        public void fault(Optional<String> why) {
            unread = why;
            changed.run();
        }
    }
}
