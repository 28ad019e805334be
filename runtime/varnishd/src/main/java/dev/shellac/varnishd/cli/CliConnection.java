package dev.shellac.varnishd.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.varnishd.cli.CliOutcome.Answered;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One connection: an answer is thirteen bytes of status and length, then the text and a line's end. */
final class CliConnection implements AutoCloseable {
    private static final int HEADER = 13;
    private static final Pattern STATUS_AND_LENGTH = Pattern.compile("([0-9]{3}) ([0-9]{1,8}) *\n");
    private static final int CHALLENGE_CHARACTERS = 32;
    private static final int AUTHENTICATION_WANTED = 107;

    private final Socket socket;
    private final InputStream in;

    private CliConnection(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    /** Greets the manager that is at the other end, and proves that we know the secret. */
    static CliConnection greet(Socket socket, CliSecret secret, int timeoutMillis) throws IOException {
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(timeoutMillis);
        var connection = new CliConnection(socket);
        Answered greeting = connection.read();
        // varnishd always has a secret of ours (-S) and so always asks for a proof. Whoever lets us in without one, for
        // instance another program that found this port, is not our varnishd.
        if (greeting.status() != AUTHENTICATION_WANTED || greeting.text().length() < CHALLENGE_CHARACTERS) {
            throw new IOException(
                    "varnishd greeted with " + greeting.status() + " instead of the challenge of its secret: "
                            + greeting.text().strip());
        }
        String challenge = greeting.text().substring(0, CHALLENGE_CHARACTERS);
        connection.write("auth " + secret.answer(challenge) + "\n");
        if (!connection.read().isOk()) {
            throw new IOException("varnishd has another secret than we");
        }
        socket.setSoTimeout(0);
        return connection;
    }

    void write(String line) throws IOException {
        socket.getOutputStream().write(line.getBytes(UTF_8));
    }

    /** The next answer, whole. */
    Answered read() throws IOException {
        String header = new String(exactly(HEADER), ISO_8859_1);
        Matcher numbers = STATUS_AND_LENGTH.matcher(header);
        if (!numbers.matches()) {
            throw new IOException("not an answer of varnishd's: " + header.strip());
        }
        byte[] text = exactly(Integer.parseInt(numbers.group(2)) + 1);
        return new Answered(Integer.parseInt(numbers.group(1)), new String(text, 0, text.length - 1, UTF_8));
    }

    private byte[] exactly(int length) throws IOException {
        byte[] bytes;
        try {
            bytes = in.readNBytes(length);
        } catch (SocketTimeoutException e) {
            throw new IOException("varnishd said nothing", e);
        }
        if (bytes.length < length) {
            throw new EOFException("the connection to varnishd's command line ended");
        }
        return bytes;
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // It is of no use any more, closed or not.
        }
    }
}
