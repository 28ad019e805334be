package dev.shellac.varnishd.cli;

import dev.shellac.varnishd.cli.CliOutcome.Answered;
import dev.shellac.varnishd.cli.CliOutcome.NotSent;
import dev.shellac.varnishd.cli.CliOutcome.Unknown;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Where varnishd calls us ({@code -M}): it connects when it starts, and again within a second when a connection dropped, so no port is
 * guessed and none has to be waited for. (With two addresses varnishd 7.7 aborts; there is one.)
 *
 * <p>The manager does one thing at a time: while it compiles, nothing else is answered on any connection. Whoever must
 * not wait asks with {@link #trySend}, and {@link #busyWith} says what is going on.
 */
public final class CliLink implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(CliLink.class.getName());
    private static final int GREETING_MILLIS = 30_000;

    private record Line(CliConnection connection, BlockingQueue<Answer> answers) {}

    // Either an answer or why there will be none.
    private record Answer(@Nullable Answered answered, String fault) {}

    private final ServerSocket server;
    private final CliSecret secret;
    private final ReentrantLock sending = new ReentrantLock(true);
    private final ReentrantLock state = new ReentrantLock();
    private final Condition changed = state.newCondition();
    private @Nullable Line line;
    private String noLine = "varnishd has not called yet";
    private boolean closed;
    private volatile Optional<CliCommand> busy = Optional.empty();

    private CliLink(ServerSocket server, CliSecret secret) {
        this.server = server;
        this.secret = secret;
    }

    /** Listens on a free port of this host alone. */
    public static CliLink open(CliSecret secret) throws IOException {
        var server = new ServerSocket(0, 4, InetAddress.getLoopbackAddress());
        var link = new CliLink(server, secret);
        Thread.ofVirtual().name("varnishd-cli-accept").start(link::accept);
        return link;
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    /** What the manager is doing for us at this moment. */
    public Optional<CliCommand> busyWith() {
        return busy;
    }

    /** Waits for its turn, for a connection and for the answer, all of it within the time. */
    public CliOutcome send(CliCommand command, Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        try {
            if (!sending.tryLock(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                return new NotSent("varnishd is busy with "
                        + busy.map(CliCommand::toString).orElse("another command"));
            }
            return exchanged(command, deadline);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new NotSent("interrupted");
        }
    }

    /** As {@link #send}, but sends nothing if the manager is busy or not there. */
    public CliOutcome trySend(CliCommand command, Duration timeout) {
        if (!sending.tryLock()) {
            return new NotSent(
                    "varnishd is busy with " + busy.map(CliCommand::toString).orElse("another command"));
        }
        return exchanged(command, isConnected() ? System.nanoTime() + timeout.toNanos() : System.nanoTime());
    }

    public boolean isConnected() {
        state.lock();
        try {
            return line != null;
        } finally {
            state.unlock();
        }
    }

    private CliOutcome exchanged(CliCommand command, long deadline) {
        Optional<Line> found = Optional.empty();
        try {
            found = await(deadline);
            if (found.isEmpty()) {
                return new NotSent("no connection to varnishd's command line: " + noLine);
            }
            busy = Optional.of(command);
            return exchange(found.get(), command, deadline);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            found.ifPresent(used -> drop(used, "interrupted"));
            return found.isEmpty() ? new NotSent("interrupted") : new Unknown("interrupted");
        } finally {
            busy = Optional.empty();
            sending.unlock();
        }
    }

    private Optional<Line> await(long deadline) throws InterruptedException {
        state.lock();
        try {
            long left = deadline - System.nanoTime();
            while (line == null && !closed && left > 0) {
                left = changed.awaitNanos(left);
            }
            return Optional.ofNullable(line);
        } finally {
            state.unlock();
        }
    }

    private CliOutcome exchange(Line used, CliCommand command, long deadline) throws InterruptedException {
        if (!used.answers().isEmpty()) {
            drop(used, "varnishd spoke without being asked");
            return new NotSent("varnishd spoke without being asked: its next answer could not be told from that");
        }
        try {
            used.connection().write(command.line());
        } catch (IOException e) {
            drop(used, "it broke");
            return new Unknown("the connection to varnishd broke while it was told " + command);
        }
        Answer answer = used.answers().poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (answer == null) {
            // A late answer must not be taken for that of the next command.
            drop(used, "varnishd took too long for " + command);
            return new Unknown("varnishd did not answer in time: " + command);
        }
        return answer.answered() == null
                ? new Unknown("the connection to varnishd broke before it answered " + command + ": " + answer.fault())
                : answer.answered();
    }

    private void accept() {
        while (true) {
            try {
                Socket socket = server.accept();
                Thread.ofVirtual().name("varnishd-cli").start(() -> serve(socket));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void serve(Socket socket) {
        CliConnection connection;
        try {
            connection = CliConnection.greet(socket, secret, GREETING_MILLIS);
        } catch (IOException e) {
            refuse(socket, e);
            return;
        }
        var now = new Line(connection, new ArrayBlockingQueue<>(1));
        if (!adopt(now)) {
            connection.close();
            return;
        }
        String fault = "varnishd closed it";
        try {
            // More than one answer to a command is none: the queue has room for one.
            while (now.answers().offer(new Answer(connection.read(), ""))) {}
            fault = "varnishd spoke without being asked";
        } catch (IOException e) {
            fault = String.valueOf(e.getMessage());
        }
        drop(now, fault);
        boolean told = now.answers().offer(new Answer(null, fault));
        LOG.log(System.Logger.Level.DEBUG, "command line lost, told {0}: {1}", told, fault);
    }

    private void refuse(Socket socket, IOException why) {
        state.lock();
        try {
            noLine = String.valueOf(why.getMessage());
            if (!closed) {
                LOG.log(System.Logger.Level.WARNING, "varnishd''s command line cannot be used: {0}", noLine);
            }
        } finally {
            state.unlock();
        }
        try {
            socket.close();
        } catch (IOException e) {
            // Of no use, closed or not.
        }
    }

    private boolean adopt(Line now) {
        state.lock();
        try {
            if (closed) {
                return false;
            }
            if (line != null) {
                line.connection().close();
            }
            line = now;
            changed.signalAll();
            return true;
        } finally {
            state.unlock();
        }
    }

    private void drop(Line old, String why) {
        state.lock();
        try {
            if (old.equals(line)) {
                line = null;
                noLine = why;
            }
        } finally {
            state.unlock();
        }
        old.connection().close();
    }

    @Override
    public void close() {
        state.lock();
        try {
            closed = true;
            if (line != null) {
                line.connection().close();
            }
            changed.signalAll();
            server.close();
        } catch (IOException e) {
            // A socket that cannot be closed goes with the process.
        } finally {
            state.unlock();
        }
    }
}
