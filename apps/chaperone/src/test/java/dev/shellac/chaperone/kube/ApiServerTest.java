package dev.shellac.chaperone.kube;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** By what right a pod reads: the mounted authority and the mounted token, which is replaced while the pod runs. */
final class ApiServerTest {
    private static final String PASSWORD = "changeit";

    @TempDir
    private Path account;

    @Test
    void theAuthorityIsCheckedAndTheTokenIsReadEachTime() throws Exception {
        HttpsServer server = server(certificate("right"));
        try {
            URI url = URI.create("https://127.0.0.1:" + server.getAddress().getPort());
            Files.writeString(account.resolve("token"), "one\n");
            ApiServer api = ApiServer.withAccount(url, account);
            assertThat(said(api)).isEqualTo("Bearer one");
            Files.writeString(account.resolve("token"), "two\n");
            assertThat(said(api)).isEqualTo("Bearer two");

            certificate("wrong");
            ApiServer other = ApiServer.withAccount(url, account);
            assertThatThrownBy(() -> said(other)).isInstanceOf(IOException.class);
        } finally {
            server.stop(0);
        }
    }

    @Test
    void outsideOfAClusterItIsSaidSo() {
        assertThatThrownBy(() -> ApiServer.inCluster(Map.of()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("KUBERNETES_SERVICE_HOST");
    }

    private static String said(ApiServer api) throws IOException, InterruptedException {
        try (InputStream body = api.get("/")) {
            return new String(body.readAllBytes(), UTF_8);
        }
    }

    private static HttpsServer server(SSLContext context) throws IOException {
        HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        server.createContext("/", exchange -> {
            try (exchange) {
                byte[] said = String.valueOf(exchange.getRequestHeaders().getFirst("Authorization"))
                        .getBytes(UTF_8);
                exchange.sendResponseHeaders(200, said.length);
                exchange.getResponseBody().write(said);
            }
        });
        server.start();
        return server;
    }

    // A certificate for this host, which is its own authority and is left in the account as such.
    private SSLContext certificate(String name) throws Exception {
        Path store = account.resolve(name + ".p12");
        keytool(
                "-genkeypair",
                "-alias",
                name,
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + name,
                "-ext",
                "SAN=ip:127.0.0.1",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD);
        keytool(
                "-exportcert",
                "-rfc",
                "-alias",
                name,
                "-file",
                account.resolve("ca.crt").toString(),
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD);
        KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(keys, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(factory.getKeyManagers(), null, null);
        return context;
    }

    private static void keytool(String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String words = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(words).isZero();
    }
}
