package dev.shellac.varnishd.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;

/** The other end of a command line, over a real socket: says exactly what a test wants it to. */
final class FakeManager implements AutoCloseable {
    static final String CHALLENGE = "abcdefghijklmnopqrstuvwxyzabcdef";

    private final Socket socket;
    private final BufferedReader in;

    private FakeManager(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
    }

    /** Calls, asks for the proof and takes whatever comes. */
    static FakeManager call(CliLink link) throws IOException {
        FakeManager manager = connect(link);
        manager.hear();
        manager.say(200, "welcome");
        return manager;
    }

    static FakeManager connect(CliLink link) throws IOException {
        return greeting(link, 107, CHALLENGE + "\n\nAuthentication required.\n");
    }

    static FakeManager greeting(CliLink link, int status, String text) throws IOException {
        var manager = new FakeManager(
                new Socket(link.address().getAddress(), link.address().getPort()));
        manager.say(status, text);
        return manager;
    }

    String hear() throws IOException {
        String line = in.readLine();
        if (line == null) {
            throw new IOException("closed");
        }
        return line;
    }

    boolean isHungUpOn() throws IOException {
        return in.read() < 0;
    }

    void say(int status, String text) throws IOException {
        raw("%-3d %-8d\n%s\n".formatted(status, text.getBytes(UTF_8).length, text));
    }

    void raw(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(UTF_8));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
