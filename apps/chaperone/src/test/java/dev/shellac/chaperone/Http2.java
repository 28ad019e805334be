package dev.shellac.chaperone;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** Connections of HTTP/2 for {@code a.example.com}, and the frames that clients send on them. */
final class Http2 {
    private static final int SETTINGS = 4;

    private Http2() {}

    /** A connection to a pod's port, whose client has begun with these settings. */
    static SSLSocket connect(int port, byte... settings) throws IOException, GeneralSecurityException {
        Socket raw = KeptConnection.socket(port);
        var socket =
                (SSLSocket) TlsConnection.believing().getSocketFactory().createSocket(raw, "a.example.com", port, true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {"h2"});
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        socket.getOutputStream()
                .write(joined("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII), frame(SETTINGS, 0, 0, settings)));
        return socket;
    }

    static byte[] frame(int type, int flags, int stream, byte[] payload) {
        return ByteBuffer.allocate(9 + payload.length)
                .put((byte) 0)
                .putShort((short) payload.length)
                .put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload)
                .array();
    }

    // RFC 7541: GET, https and / of the static table, an authority, and perhaps a header as it must not be.
    static byte[] head(String header) {
        var head = new ByteArrayOutputStream();
        head.writeBytes(new byte[] {(byte) 0x82, (byte) 0x87, (byte) 0x84, 0x41, 13});
        head.writeBytes("a.example.com".getBytes(US_ASCII));
        if (!header.isEmpty()) {
            String[] parts = header.split(": ", 2);
            head.writeBytes(new byte[] {0, (byte) parts[0].length()});
            head.writeBytes(parts[0].getBytes(US_ASCII));
            head.write(parts[1].length());
            head.writeBytes(parts[1].getBytes(US_ASCII));
        }
        return head.toByteArray();
    }

    static byte[] joined(byte[] one, byte[] other) {
        return ByteBuffer.allocate(one.length + other.length)
                .put(one)
                .put(other)
                .array();
    }
}
