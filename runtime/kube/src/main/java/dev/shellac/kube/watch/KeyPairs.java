package dev.shellac.kube.watch;

import com.fasterxml.jackson.core.JsonParser;
import dev.shellac.decode.Decoder;
import dev.shellac.kube.api.ApiFault;
import dev.shellac.kube.api.Requests;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.Resource;
import dev.shellac.model.core.SecretObject;
import dev.shellac.threads.Supervisor;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The Secrets of type {@code kubernetes.io/tls}. Of all of them names and versions are watched; content is read, and kept by whoever listens, only of
 * those that are asked for: the keys of others are none of our business.
 */
final class KeyPairs implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(KeyPairs.class.getName());
    private static final ServedKind KIND = Discovery.core(GroupKind.SECRET);
    private static final String TYPE = "type=kubernetes.io/tls";
    private static final String MISSING = "";
    private static final int READ_AT_A_TIME = 8;
    private static final Duration RETRY = Duration.ofMillis(200);
    private static final Duration RETRY_LONGEST = Duration.ofSeconds(5);

    private final Requests api;
    private final ClusterWatch.Handler handler;
    private final Runnable whenListed;
    private final Semaphore reading = new Semaphore(READ_AT_A_TIME);
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Name, String> versions = new HashMap<>();
    /** The version of each that was asked for which was read last. */
    private final Map<Name, String> read = new HashMap<>();

    private final Map<Name, Thread> readers = new LinkedHashMap<>();
    private Set<Name> wanted = Set.of();
    private boolean listed;
    private boolean closed;
    private final ListWatch watch;

    private KeyPairs(Requests api, ClusterWatch.Handler handler, Runnable whenListed) {
        this.api = api;
        this.handler = handler;
        this.whenListed = whenListed;
        this.watch = ListWatch.start(api, KIND.all().withFields(TYPE).metadata(), new Versions());
    }

    static KeyPairs start(Requests api, ClusterWatch.Handler handler, Runnable whenListed) {
        return new KeyPairs(api, handler, whenListed);
    }

    boolean isListed() {
        lock.lock();
        try {
            return listed;
        } finally {
            lock.unlock();
        }
    }

    boolean isRead(Name name) {
        lock.lock();
        try {
            return read.containsKey(name);
        } finally {
            lock.unlock();
        }
    }

    /** Those that are to be read from now on, and no others. */
    void read(Set<Name> names) {
        var dropped = new HashSet<Name>();
        lock.lock();
        try {
            wanted.stream().filter(name -> !names.contains(name)).forEach(dropped::add);
            wanted = Set.copyOf(names);
            dropped.forEach(name -> {
                read.remove(name);
                Optional.ofNullable(readers.remove(name)).ifPresent(Thread::interrupt);
            });
            wanted.forEach(this::look);
        } finally {
            lock.unlock();
        }
        dropped.forEach(name -> handler.gone(SecretObject.class, name));
    }

    // Has it read where there is another version than the one that was.
    private void look(Name name) {
        String version = versions.getOrDefault(name, MISSING);
        if (!wanted.contains(name) || closed || version.equals(read.get(name))) {
            return;
        }
        if (version.equals(MISSING)) {
            if (listed) {
                read.put(name, MISSING);
                handler.gone(SecretObject.class, name);
                handler.read();
            }
        } else if (!readers.containsKey(name)) {
            Thread reader = Supervisor.PROCESS.thread("secret " + name, () -> fetch(name));
            readers.put(name, reader);
            reader.start();
        }
    }

    private void fetch(Name name) {
        int failures = 0;
        try {
            while (true) {
                try {
                    reading.acquire();
                    try {
                        if (arrived(name, get(name))) {
                            return;
                        }
                    } finally {
                        reading.release();
                    }
                    Thread.sleep(RETRY);
                } catch (IOException e) {
                    LOG.log(Level.INFO, "Secret {0} cannot be read: {1}", name, e.getMessage());
                    failures++;
                    Duration pause = RETRY.multipliedBy(1L << Math.min(failures - 1, 10));
                    Thread.sleep(pause.compareTo(RETRY_LONGEST) < 0 ? pause : RETRY_LONGEST);
                }
            }
        } catch (InterruptedException e) {
            LOG.log(Level.DEBUG, "Secret {0} is not asked for any more", name);
        }
    }

    private record Found(String version, Optional<Resource> secret) {}

    private Found get(Name name) throws IOException, InterruptedException {
        try (JsonParser parser = RawObject.JSON.createParser(api.get(KIND.path(name)))) {
            parser.nextToken();
            RawObject object = RawObject.read(parser, KIND.all().type(), Set.of());
            return new Found(
                    object.version(),
                    Decoder.decodeStored(List.of(object.source())).objects().stream()
                            .findFirst()
                            .map(found -> found.resource()));
        } catch (ApiFault e) {
            if (e.isNotFound()) {
                return new Found(MISSING, Optional.empty());
            }
            throw e;
        }
    }

    // False where it is to be asked for again: it is not there, and the watch has not said so yet, or has seen a new
    // one.
    private boolean arrived(Name name, Found found) {
        lock.lock();
        try {
            // One that went meanwhile was told to be gone.
            boolean known = wanted.contains(name) && versions.containsKey(name) && !closed;
            if (known && found.version().equals(MISSING)) {
                return false;
            }
            readers.remove(name);
            if (!known) {
                return true;
            }
            read.put(name, found.version());
            // Told under the lock: whatever is said of it afterwards is newer.
            found.secret().ifPresentOrElse(handler::there, () -> handler.gone(SecretObject.class, name));
            versions.merge(name, found.version(), KeyPairs::newer);
            look(name);
        } finally {
            lock.unlock();
        }
        handler.read();
        return true;
    }

    // Versions are numbers on every server there is.
    private static String newer(String one, String other) {
        try {
            return Long.parseLong(one) >= Long.parseLong(other) ? one : other;
        } catch (NumberFormatException e) {
            return other;
        }
    }

    private final class Versions implements ListWatch.Handler {
        @Override
        public void there(RawObject object) {
            lock.lock();
            try {
                versions.merge(object.name(), object.version(), KeyPairs::newer);
                look(object.name());
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void gone(Name name) {
            lock.lock();
            try {
                versions.remove(name);
                look(name);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void listed() {
            lock.lock();
            try {
                listed = true;
                wanted.forEach(KeyPairs.this::look);
            } finally {
                lock.unlock();
            }
            whenListed.run();
        }
    }

    @Override
    public void close() {
        watch.close();
        lock.lock();
        try {
            closed = true;
            readers.values().forEach(Thread::interrupt);
        } finally {
            lock.unlock();
        }
    }
}
