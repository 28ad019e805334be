package dev.shellac.testkit.net;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A port for a process that is yet to be started. Not one of those that the system gives away by itself: it would give it to whoever asks
 * in the meantime.
 */
public final class FreePort {
    private static final int FIRST = 14_000;
    private static final int LAST = 29_999;
    private static final int TRIES = 100;

    private FreePort() {}

    public static int find() throws IOException {
        for (int i = 0; i < TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST + 1);
            if (isFree(port)) {
                return port;
            }
        }
        throw new IOException("of ports " + FIRST + " to " + LAST + " hardly any is free");
    }

    private static boolean isFree(int port) throws IOException {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (BindException e) {
            return false;
        }
    }
}
