package dev.shellac.operator;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.testkit.kube.FakeApiServer;
import dev.shellac.testkit.tls.TestCertificates;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.assertj.core.api.Assertions;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How long the certificates of listeners are good for, as Events and as a metric. */
final class CertificatesTest {
    private static final double DAY = Duration.ofDays(1).toSeconds();

    private final Stage stage = new Stage();
    private final FakeApiServer server = stage.server();

    @TempDir
    private Path folder;

    CertificatesTest() throws Exception {}

    @AfterEach
    void end() {
        stage.close();
    }

    @Test
    void aCertificateThatExpiresSoonOrHasExpired() throws Exception {
        secret("late", pair("late", 0));
        secret("soon", pair("soon", 13));
        secret("fine", pair("fine", 15));
        listeners("late", "soon", "fine");
        stage.start();
        eventually(
                "both are told",
                () -> !stage.events("late").isEmpty() && !stage.events("soon").isEmpty());
        assertThat(stage.events("late").getFirst().path("reason").asText()).isEqualTo("CertificateExpired");
        assertThat(stage.events("soon").getFirst().path("reason").asText()).isEqualTo("CertificateExpiresSoon");
        assertThat(stage.events("soon").getFirst().at("/involvedObject/kind").asText())
                .isEqualTo("Secret");
        assertThat(stage.events("fine")).isEmpty();
        assertThat(days("soon").orElseThrow()).isCloseTo(13, hour());
        assertThat(days("fine").orElseThrow()).isCloseTo(15, hour());
        assertThat(days("late").orElseThrow()).isNegative();
    }

    @Test
    void aChainIsGoodForAsLongAsTheFirstOfItToExpire() throws Exception {
        TestCertificates.Pair first = pair("chain", 90);
        secret(
                "chain",
                new TestCertificates.Pair(
                        first.certificate() + pair("intermediate", 5).certificate(), first.key()));
        listeners("chain");
        stage.start();
        eventually("it is told", () -> !stage.events("chain").isEmpty());
        assertThat(stage.events("chain").getFirst().path("reason").asText()).isEqualTo("CertificateExpiresSoon");
        assertThat(days("chain").orElseThrow()).isCloseTo(5, hour());
    }

    @Test
    void aRotatedCertificateAndOneThatAListenerTakesUpLaterAreSeenAtOnce() throws Exception {
        secret("one", pair("one", 30));
        secret("two", pair("two", 40));
        listeners("one");
        stage.start();
        eventually("the first", () -> days("one").isPresent());
        assertThat(days("two")).isEmpty();
        listeners("one", "two");
        eventually("the other", () -> days("two").isPresent());
        assertThat(days("two").orElseThrow()).isCloseTo(40, hour());
        secret("one", pair("one", 80));
        eventually("the next", () -> days("one").orElseThrow() > 79);
        listeners("two");
        eventually("it is nobody's", () -> days("one").isEmpty());
    }

    private static Offset<Double> hour() {
        return Assertions.within(1.0 / 24);
    }

    // By the metric, if it is there.
    private Optional<Double> days(String secret) throws Exception {
        String series = "shellac_operator_certificate_expiry_seconds{namespace=\"shop\",secret=\"" + secret + "\"} ";
        return stage.metrics().stream()
                .filter(line -> line.startsWith(series))
                .map(line -> Double.parseDouble(line.substring(series.length())) / DAY)
                .findFirst();
    }

    private TestCertificates.Pair pair(String name, int days) throws Exception {
        return TestCertificates.of(folder, name, days, name + ".example.com");
    }

    private void listeners(String... names) {
        stage.listeners(List.of(names).stream()
                .map(name -> "{\"name\":\"" + name + "\",\"hostname\":\"" + name
                        + ".example.com\",\"port\":443,\"protocol\":\"HTTPS\",\"tls\":{\"certificateRefs\":[{\"name\":\""
                        + name
                        + "\"}]}}")
                .collect(Collectors.joining(",")));
    }

    private void secret(String name, TestCertificates.Pair pair) {
        server.put(
                "/api/v1/namespaces/shop/secrets/" + name,
                "{\"metadata\":{\"name\":\"" + name
                        + "\",\"namespace\":\"shop\"},\"type\":\"kubernetes.io/tls\",\"data\":{\"tls.crt\":\""
                        + base64(pair.certificate()) + "\",\"tls.key\":\"" + base64(pair.key()) + "\"}}");
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }
}
