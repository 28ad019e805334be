package dev.shellac.chaperone.edge;

import dev.shellac.model.Secret;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** What the edge says to HAProxy. */
interface Haproxy {
    /** HAProxy's words about a configuration that it does not take. That it could not be asked is an exception. */
    Optional<String> fault(Path home) throws IOException, InterruptedException;

    /** HAProxy's words about one certificate that it does not take. */
    Optional<String> certificateFault(Path home, String certificate) throws IOException, InterruptedException;

    /**
     * Starts a process, which serves when this returns.
     *
     * @param before gives its sockets to the next, so that no connection is lost; it goes on until it is told to stop
     * @param ended called when the process is gone; must not block
     */
    Running start(Path home, Optional<Running> before, Runnable ended) throws IOException, InterruptedException;

    /**
     * Gives the process that serves another content of a certificate.
     *
     * @param started the folder that the process was started with, which is how it knows its files
     * @return HAProxy's words if it does not take it; then it goes on with what it had
     */
    Optional<String> replace(Path started, String certificate, Secret pem) throws IOException;

    /** The answer of the process that serves. */
    String ask(String command) throws IOException;

    /** A process. */
    interface Running {
        boolean isAlive();

        /** It takes no new connections, and ends when the last one that it has does. */
        void leave();

        /** It ends now. */
        void stop();

        /** Bytes that it has for itself; none where nobody knows. */
        long memory();

        /** What it printed last. */
        String lastWords();
    }
}
