package dev.shellac.chaperone;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

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

    /**
     * An answer.
     *
     * @param kept whether the connection is
     */
    record Answer(int status, String body, boolean kept) {}

    /** Over a socket that is connected; it is closed with the connection. */
    KeptConnection(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    static KeptConnection to(int port) throws IOException {
        return new KeptConnection(socket(port));
    }

    static Socket socket(int port) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(20_000);
        return socket;
    }

    /** Whether the connection is kept after the answer, which must be 200 and whole. */
    boolean ask(String path) throws IOException {
        Answer answer = get("pod", path);
        if (answer.status() != 200) {
            throw new IOException("answered " + answer);
        }
        return answer.kept();
    }

    Answer get(String host, String path, String... headers) throws IOException {
        String head = send("GET " + path, host, headers);
        String lower = head.toLowerCase(Locale.ROOT);
        int length = Integer.parseInt(lower.replaceAll("(?s).*\r\ncontent-length: ([0-9]+)\r\n.*", "$1"));
        return new Answer(
                Integer.parseInt(head.substring(9, 12)),
                new String(read(length), UTF_8),
                !lower.contains("\r\nconnection: close\r\n"));
    }

    /** The head of the answer. */
    String send(String what, String host, String... headers) throws IOException {
        String more = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
        write((what + " HTTP/1.1\r\nHost: " + host + "\r\n" + more + "\r\n").getBytes(ISO_8859_1));
        return head();
    }

    void write(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    byte[] read(int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length != length) {
            throw new IOException("half an answer");
        }
        return bytes;
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
