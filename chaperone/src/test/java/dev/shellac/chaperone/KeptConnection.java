package dev.shellac.chaperone;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Locale;

/** One connection of a client that keeps it for as long as the server does. */
final class KeptConnection implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;

    private KeptConnection(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    static KeptConnection to(int port) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(20_000);
        return new KeptConnection(socket);
    }

    /** Whether the connection is kept after the answer, which must be 200 and whole. */
    boolean ask(String path) throws IOException {
        socket.getOutputStream().write(("GET " + path + " HTTP/1.1\r\nHost: pod\r\n\r\n").getBytes(ISO_8859_1));
        String head = head().toLowerCase(Locale.ROOT);
        if (!head.startsWith("http/1.1 200 ")) {
            throw new IOException("answered " + head);
        }
        int length = Integer.parseInt(head.replaceAll("(?s).*\r\ncontent-length: ([0-9]+)\r\n.*", "$1"));
        if (in.readNBytes(length).length != length) {
            throw new IOException("half an answer");
        }
        return !head.contains("\r\nconnection: close\r\n");
    }

    private String head() throws IOException {
        var head = new ByteArrayOutputStream();
        while (!head.toString(ISO_8859_1).endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("no answer, " + head.size() + " bytes of one");
            }
            head.write(next);
        }
        return head.toString(ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
