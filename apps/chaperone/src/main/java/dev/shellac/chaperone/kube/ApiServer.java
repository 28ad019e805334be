package dev.shellac.chaperone.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Where the API is, and by what right it is read. */
public final class ApiServer {
    private static final Path ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");
    private static final Duration ANSWER = Duration.ofSeconds(30);
    private static final int OK = 200;
    private static final int MOST_WORDS = 300;

    private final URI base;
    private final HttpClient client;
    private final Optional<Path> token;

    private ApiServer(URI base, HttpClient client, Optional<Path> token) {
        this.base = base;
        this.client = client;
        this.token = token;
    }

    /** At an address, without TLS of our own and without a token. */
    public static ApiServer at(URI base) {
        return new ApiServer(base, client(Optional.empty()), Optional.empty());
    }

    /** As every pod finds it: by the environment and the mounted service account. */
    public static ApiServer inCluster(Map<String, String> environment) throws IOException {
        String host = environment.getOrDefault("KUBERNETES_SERVICE_HOST", "");
        String port = environment.getOrDefault("KUBERNETES_SERVICE_PORT", "443");
        if (host.isEmpty()) {
            throw new IOException(
                    "KUBERNETES_SERVICE_HOST is not set: not in a cluster, and KUBERNETES_API_URL names no API server");
        }
        String literal = host.contains(":") ? "[" + host + "]" : host;
        return withAccount(URI.create("https://" + literal + ":" + port), ACCOUNT);
    }

    /** With the {@code ca.crt} and {@code token} of a folder. */
    static ApiServer withAccount(URI base, Path account) throws IOException {
        return new ApiServer(
                base, client(Optional.of(trust(account.resolve("ca.crt")))), Optional.of(account.resolve("token")));
    }

    private static HttpClient client(Optional<SSLContext> tls) {
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(5))
                .executor(Executors.newVirtualThreadPerTaskExecutor());
        tls.ifPresent(builder::sslContext);
        return builder.build();
    }

    private static SSLContext trust(Path authorities) throws IOException {
        try (InputStream in = Files.newInputStream(authorities)) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int number = 0;
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("ca-" + number++, certificate);
            }
            var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, factory.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("the API server's authority in " + authorities + " cannot be used", e);
        }
    }

    /** The body of an answer of 200; anything else is an {@link ApiFault}. */
    InputStream get(String path) throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(base.resolve(path)).timeout(ANSWER).header("Accept", "application/json");
        if (token.isPresent()) {
            // Read each time: the kubelet replaces it long before it expires.
            request.header(
                    "Authorization", "Bearer " + Files.readString(token.get()).strip());
        }
        HttpResponse<InputStream> response = client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        if (response.statusCode() == OK) {
            return response.body();
        }
        try (InputStream body = response.body()) {
            String words = new String(body.readNBytes(MOST_WORDS), UTF_8).strip();
            throw new ApiFault(
                    response.statusCode(), "GET " + path + " was answered " + response.statusCode() + ": " + words);
        }
    }

    @Override
    public String toString() {
        return base.toString();
    }
}
