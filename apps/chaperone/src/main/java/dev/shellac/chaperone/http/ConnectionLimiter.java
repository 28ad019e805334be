package dev.shellac.chaperone.http;

import dev.shellac.threads.Supervisor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Accepts connections for the pod's HTTP server and hands their bytes on to it. The JDK's server can bound all connections together, and then one
 * peer keeps everybody else out, the probes of the kubelet included. Here the peer with the most connections loses its oldest when there
 * are too many. A connection on which the server sends nothing for a while is closed: a request takes no longer than that.
 */
final class ConnectionLimiter implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ConnectionLimiter.class.getName());
    private static final int BACKLOG = 64;
    private static final int BUFFER = 4096;
    private static final Duration PAUSE = Duration.ofMillis(100);

    /**
     * What is allowed.
     *
     * @param connections at a time
     * @param silence the longest time that a peer or the server may send nothing
     */
    record Bounds(int connections, Duration silence) {}

    private final ServerSocket door;
    private final InetSocketAddress server;
    private final Bounds bounds;
    private final Set<Relay> open = new LinkedHashSet<>(); // oldest first

    private ConnectionLimiter(ServerSocket door, InetSocketAddress server, Bounds bounds) {
        this.door = door;
        this.server = server;
        this.bounds = bounds;
    }

    static ConnectionLimiter start(InetSocketAddress address, InetSocketAddress server, Bounds bounds)
            throws IOException {
        var limiter = new ConnectionLimiter(new ServerSocket(), server, bounds);
        try {
            limiter.door.setReuseAddress(true);
            limiter.door.bind(address, BACKLOG);
        } catch (IOException e) {
            limiter.door.close();
            throw e;
        }
        Supervisor.PROCESS.thread("http-accept", limiter::accept).start();
        return limiter;
    }

    int port() {
        return door.getLocalPort();
    }

    private void accept() {
        while (!door.isClosed()) {
            try {
                admit(new Relay(door.accept()));
            } catch (IOException e) {
                if (!door.isClosed()) {
                    LOG.log(Level.WARNING, "cannot accept a connection: {0}", e.getMessage());
                    pause();
                }
            }
        }
    }

    // Without file descriptors the next attempt fails as fast.
    private static void pause() {
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void admit(Relay next) {
        synchronized (open) {
            if (open.size() >= bounds.connections()) {
                Relay evicted = oldestOfTheLargest();
                open.remove(evicted);
                evicted.close();
            }
            open.add(next);
        }
        Thread.ofVirtual().name("http-connection").start(next::run);
    }

    private Relay oldestOfTheLargest() {
        Map<InetAddress, Long> counts = open.stream()
                .map(relay -> relay.peer)
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        long most = counts.values().stream().max(Comparator.naturalOrder()).orElse(0L);
        return open.stream()
                .filter(relay -> counts.getOrDefault(relay.peer, 0L) == most)
                .findFirst()
                .orElseThrow();
    }

    @Override
    public void close() {
        shut(door);
        synchronized (open) {
            open.forEach(Relay::close);
            open.clear();
        }
    }

    private static void shut(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception e) {
            LOG.log(Level.DEBUG, "a socket that is given up: {0}", e.getMessage());
        }
    }

    /** A connection, and the one to the server that stands for it. */
    private final class Relay {
        private final Socket client;
        private final Socket inside = new Socket();
        private final InetAddress peer;

        Relay(Socket client) {
            this.client = client;
            this.peer = client.getInetAddress();
        }

        void run() {
            try {
                int silence = (int) bounds.silence().toMillis();
                inside.connect(server, silence);
                client.setSoTimeout(silence);
                inside.setSoTimeout(silence);
                client.setTcpNoDelay(true);
                inside.setTcpNoDelay(true);
                Thread requests = Thread.ofVirtual().name("http-requests").start(this::forward);
                copy(inside.getInputStream(), client.getOutputStream());
                close();
                requests.join();
            } catch (IOException e) {
                LOG.log(Level.DEBUG, "connection of {0} ended: {1}", peer, e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                close();
                synchronized (open) {
                    open.remove(this);
                }
            }
        }

        // A client that has said all still gets its answer.
        private void forward() {
            try {
                copy(client.getInputStream(), inside.getOutputStream());
                inside.shutdownOutput();
            } catch (IOException e) {
                close();
            }
        }

        private static void copy(InputStream from, OutputStream to) throws IOException {
            var buffer = new byte[BUFFER];
            for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
                to.write(buffer, 0, read);
            }
        }

        void close() {
            shut(client);
            shut(inside);
        }
    }
}
