package dev.shellac.chaperone;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.testkit.tls.TestCertificates;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** A client's connection with TLS, which believes everybody and keeps the connection as long as the server does. */
final class TlsConnection implements AutoCloseable {
    private static final char[] PASSWORD = "password".toCharArray();

    private final SSLSocket socket;
    private final KeptConnection connection;

    private TlsConnection(SSLSocket socket) throws IOException {
        this.socket = socket;
        this.connection = new KeptConnection(socket);
    }

    /** Of a client that shows no certificate. */
    static SSLContext believing() {
        return context(null);
    }

    /** Of a client that shows this certificate where it is asked for one, whoever is trusted there. */
    static SSLContext showing(TestCertificates.Pair pair) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, PASSWORD);
        store.setKeyEntry(
                "it",
                KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(der(pair.key()))),
                PASSWORD,
                new Certificate[] {
                    CertificateFactory.getInstance("X.509")
                            .generateCertificate(new ByteArrayInputStream(der(pair.certificate())))
                });
        KeyManagerFactory keys = KeyManagerFactory.getInstance("SunX509");
        keys.init(store, PASSWORD);
        return context(new Insisting((X509ExtendedKeyManager) keys.getKeyManagers()[0]));
    }

    private static byte[] der(String pem) {
        return Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
    }

    private static SSLContext context(@Nullable KeyManager keys) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys == null ? null : new KeyManager[] {keys}, new TrustManager[] {new Everybody()}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** To a pod's port, by a server name; the handshake is done. */
    static TlsConnection to(int port, String serverName, String... protocols) throws IOException {
        return to(believing(), port, serverName, protocols);
    }

    static TlsConnection to(SSLContext context, int port, String serverName, String... protocols) throws IOException {
        return over(new SessionSocket(port), context, serverName, protocols);
    }

    /** Of a client that speaks TLS 1.2 and nothing newer. */
    static TlsConnection of12(int port, String serverName, String... protocols) throws IOException {
        return of12(believing(), port, serverName, protocols);
    }

    static TlsConnection of12(SSLContext context, int port, String serverName, String... protocols) throws IOException {
        return over(new SessionSocket(port), context, new String[] {"TLSv1.2"}, serverName, protocols);
    }

    /** Over a connection on which something was said already; it is closed with this one. */
    static TlsConnection over(Socket connection, SSLContext context, String serverName, String... protocols)
            throws IOException {
        return over(connection, context, new String[] {"TLSv1.3", "TLSv1.2"}, serverName, protocols);
    }

    private static TlsConnection over(
            Socket connection, SSLContext context, String[] versions, String serverName, String... protocols)
            throws IOException {
        var socket =
                (SSLSocket) context.getSocketFactory().createSocket(connection, serverName, connection.getPort(), true);
        try {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setProtocols(versions);
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

    KeptConnection.Answer get(String host, String path, String... headers) throws IOException {
        return connection.get(host, path, headers);
    }

    /** The head of the answer, whose body is still to be read. */
    String begin(String what, String host) throws IOException {
        return connection.send(what, host);
    }

    byte[] read(int length) throws IOException {
        return connection.read(length);
    }

    /** Asks for another protocol; the first line of the answer. */
    String upgrade(String host) throws IOException {
        String head = connection.send(
                "GET /",
                host,
                "Connection: Upgrade",
                "Upgrade: websocket",
                "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==");
        return head.lines().findFirst().orElse("");
    }

    /** What comes back for some bytes. */
    String echo(String text) throws IOException {
        connection.write(text.getBytes(UTF_8));
        return new String(connection.read(text.length()), UTF_8);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** Java keeps sessions by the port that a socket names: with one for all, a client offers them to every port of the pod. */
    private static final class SessionSocket extends Socket {
        SessionSocket(int port) throws IOException {
            super(InetAddress.getLoopbackAddress(), port);
            setSoTimeout(20_000);
        }

        @Override
        public int getPort() {
            return 443;
        }
    }

    /** Shows its certificate though the server names other authorities: a client that tries. */
    private static final class Insisting extends X509ExtendedKeyManager {
        private final X509ExtendedKeyManager keys;

        Insisting(X509ExtendedKeyManager keys) {
            this.keys = keys;
        }

        @Override
        public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
            return "it";
        }

        @Override
        public String[] getClientAliases(String type, Principal[] issuers) {
            return new String[] {"it"};
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return keys.getCertificateChain(alias);
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return keys.getPrivateKey(alias);
        }

        @Override
        public String[] getServerAliases(String type, Principal[] issuers) {
            return new String[0];
        }

        @Override
        public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
            throw new IllegalStateException("this is a client");
        }
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
