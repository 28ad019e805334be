package dev.shellac.chaperone;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** A client's connection with TLS, which believes everybody and keeps the connection as long as the server does. */
final class TlsConnection implements AutoCloseable {
    private final SSLSocket socket;
    private final InputStream in;

    /**
     * An answer.
     *
     * @param kept whether the connection is
     */
    record Answer(int status, String body, boolean kept) {}

    private TlsConnection(SSLSocket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    static SSLContext believing() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new Everybody()}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** To a pod's port, by a server name; the handshake is done. */
    static TlsConnection to(int port, String serverName, String... protocols) throws IOException {
        var plain = new Socket(InetAddress.getLoopbackAddress(), port);
        plain.setSoTimeout(20_000);
        var socket = (SSLSocket) believing().getSocketFactory().createSocket(plain, serverName, port, true);
        try {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setServerNames(List.of(new SNIHostName(serverName)));
            parameters.setApplicationProtocols(protocols);
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            return new TlsConnection(socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** The subject of the certificate that was shown, without its CN=. */
    String certificate() throws IOException {
        var shown = (X509Certificate) socket.getSession().getPeerCertificates()[0];
        return shown.getSubjectX500Principal().getName().replaceFirst("^CN=", "");
    }

    String protocol() {
        return socket.getApplicationProtocol() + " " + socket.getSession().getProtocol();
    }

    Answer get(String host, String path, String... headers) throws IOException {
        String more = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
        socket.getOutputStream()
                .write(("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n" + more + "\r\n").getBytes(ISO_8859_1));
        String head = head();
        String lower = head.toLowerCase(Locale.ROOT);
        int length = Integer.parseInt(lower.replaceAll("(?s).*\r\ncontent-length: ([0-9]+)\r\n.*", "$1"));
        byte[] body = in.readNBytes(length);
        if (body.length != length) {
            throw new IOException("half an answer");
        }
        return new Answer(
                Integer.parseInt(head.substring(9, 12)),
                new String(body, UTF_8),
                !lower.contains("\r\nconnection: close\r\n"));
    }

    /** Asks for another protocol; the first line of the answer. */
    String upgrade(String host) throws IOException {
        socket.getOutputStream()
                .write(("GET / HTTP/1.1\r\nHost: " + host
                                + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                                + "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n")
                        .getBytes(ISO_8859_1));
        return head().lines().findFirst().orElse("");
    }

    /** What comes back for some bytes. */
    String echo(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(UTF_8));
        return new String(in.readNBytes(text.length()), UTF_8);
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

    private static final class Everybody extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
