package dev.shellac.chaperone.kube;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.chaperone.FakeApi;
import dev.shellac.model.Secret;
import dev.shellac.varnishconfig.edge.CertificateParts;
import java.io.IOException;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The certificates that a pod knows, in whatever order their Secrets are written. */
final class SecretWatchTest {
    private static final String SECRETS = "/api/v1/namespaces/edge/secrets";

    private FakeApi api;
    private SecretWatch watch;

    @BeforeEach
    void start() throws IOException {
        api = FakeApi.start();
        var pace = new ListWatch.Pace(new Backoff(Duration.ofMillis(5), Duration.ofMillis(50)), new Random(1));
        watch = SecretWatch.start(ApiServer.at(api.url()), pace, "edge", "gw-certificates", () -> {});
        watch.release();
    }

    @AfterEach
    void stop() {
        watch.close();
        api.close();
    }

    @Test
    void certificatesAreFollowedAndThoseThatAreGoneAreAsTheyWere() throws Exception {
        eventually("none", () -> watch.fault().equals(Optional.of("there is no Secret gw-certificates-index")));
        assertThat(watch.isGone()).isTrue();
        part(3, "a.pem", "one");
        index(hash("a.pem", "one"), 3);
        eventually(
                "it is there", () -> watch.known().isPresent() && watch.fault().isEmpty());
        assertThat(watch.known().orElseThrow().files()).containsOnlyKeys("a.pem");
        assertThat(watch.known().orElseThrow().hashes(".pem"))
                .containsEntry("a.pem", "sha256:" + RoutingFile.sha256("one".getBytes(UTF_8)));
        assertThat(watch.known().toString()).doesNotContain("one");
        assertThat(watch.known().orElseThrow().isFor("global")).isTrue();
        assertThat(watch.known().orElseThrow().isFor("other")).isFalse();
        api.delete(SECRETS, "gw-certificates-index");
        eventually("it is gone", watch::isGone);
        assertThat(watch.known()).isPresent();
    }

    @Test
    void aSetOfCertificatesCountsWhenEveryHashFits() throws Exception {
        part(0, "a.pem", "one");
        part(1, "b.pem", "two");
        api.put(
                SECRETS,
                "gw-certificates-index",
                "",
                index("[" + entry(0, hash("a.pem", "one")) + "," + entry(1, hash("b.pem", "two")) + "]"));
        eventually("both", () -> certificates(watch).equals("a.pem=one b.pem=two"));
        // The index is seen before a part is.
        api.put(
                SECRETS,
                "gw-certificates-index",
                "",
                index("[" + entry(0, hash("a.pem", "one")) + "," + entry(1, hash("b.pem", "new")) + "]"));
        eventually(
                "it does not fit",
                () -> watch.fault()
                        .equals(Optional.of(
                                "Secret gw-certificates-1 has another hash than gw-certificates-index says")));
        assertThat(certificates(watch)).isEqualTo("a.pem=one b.pem=two");
        long fetched = api.requests("secrets/gw-certificates-0");
        part(1, "b.pem", "new");
        eventually("it does", () -> certificates(watch).equals("a.pem=one b.pem=new"));
        assertThat(watch.fault()).isEmpty();
        assertThat(api.requests("secrets/gw-certificates-0"))
                .as("what has not changed is not fetched")
                .isEqualTo(fetched);
        // A list cannot make the pod ask for anything else.
        api.put(SECRETS, "gw-certificates-index", "", index("[{\"name\":\"other\",\"sha256\":\"x\"}]"));
        eventually("refused", () -> watch.fault().orElse("").contains("names other"));
        assertThat(certificates(watch)).isEqualTo("a.pem=one b.pem=new");
    }

    @Test
    void anIndexThatIsBackIsNotWithheld() throws Exception {
        part(0, "a.pem", "one");
        index(hash("a.pem", "one"), 0);
        eventually("it is there", () -> certificates(watch).equals("a.pem=one"));
        assertThat(watch.withhold()).as("there was none a moment ago").isFalse();
        assertThat(certificates(watch)).isEqualTo("a.pem=one");
        api.delete(SECRETS, "gw-certificates-index");
        eventually("it is gone", watch::isGone);
        assertThat(watch.withhold()).isTrue();
        watch.release();
        assertThat(watch.known()).isEmpty();
        index(hash("a.pem", "one"), 0);
        eventually("it is back", () -> certificates(watch).equals("a.pem=one"));
    }

    private static String certificates(SecretWatch watch) {
        return watch.known().stream()
                .flatMap(bundle -> bundle.files().entrySet().stream())
                .map(file -> file.getKey() + "=" + file.getValue().<String>reveal(bytes -> new String(bytes, UTF_8)))
                .collect(Collectors.joining(" "));
    }

    private void part(int number, String file, String content) {
        api.put(SECRETS, "gw-certificates-" + number, "", ",\"data\":{\"" + file + "\":\"" + base64(content) + "\"}");
    }

    private void index(String hash, int number) {
        api.put(SECRETS, "gw-certificates-index", "", index("[" + entry(number, hash) + "]"));
    }

    private static String entry(int number, String hash) {
        return "{\"name\":\"gw-certificates-" + number + "\",\"sha256\":\"" + hash + "\"}";
    }

    private static String index(String parts) {
        String config = "sha256:" + RoutingFile.sha256("global".getBytes(UTF_8));
        return ",\"data\":{\"parts\":\"" + base64(parts) + "\",\"haproxy.cfg.sha256\":\"" + base64(config) + "\"}";
    }

    private static String hash(String file, String content) {
        return CertificateParts.hash(new TreeMap<>(Map.of(file, Secret.of(content.getBytes(UTF_8)))));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }
}
