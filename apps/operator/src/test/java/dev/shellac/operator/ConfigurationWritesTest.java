package dev.shellac.operator;

import static dev.shellac.operator.Stage.MAP;
import static dev.shellac.operator.Stage.ROUTES;
import static dev.shellac.testkit.patience.Eventually.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.varnishconfig.wire.Digest;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How configuration is written: changes at once, the whole when it is quiet, and again when somebody touches it. */
final class ConfigurationWritesTest {
    private final Stage stage = new Stage();

    ConfigurationWritesTest() throws Exception {}

    @AfterEach
    void end() {
        stage.close();
    }

    @Test
    void aChangeIsWrittenAloneAndBecomesPartOfTheWholeWhenItIsQuiet() throws Exception {
        stage.gateway();
        stage.route("cart", "cart");
        stage.start();
        stage.settle();
        String before = stage.whole();
        stage.route("more", "cart");
        eventually("the change is there", () -> stage.changes().contains("more.example.com"));
        assertThat(stage.whole()).as("the whole is as it was").isEqualTo(before);
        assertThat(stage.changes()).as("and only the change").doesNotContain("cart.example.com");
        assertThat(stage.base()).isEqualTo(hash(before));
        stage.server().remove(ROUTES + "cart");
        eventually("what is gone is named", () -> stage.changes().contains("\"cart.example.com\": null"));
        eventually(
                "both are in the whole",
                () -> stage.changes().isEmpty()
                        && stage.whole().contains("more.example.com")
                        && !stage.whole().contains("cart.example.com"));
        assertThat(stage.base()).isEqualTo(hash(stage.whole()));
        long wholes = stage.server().writes().stream()
                .filter(write -> write.path().equals(MAP))
                .count();
        assertThat(wholes)
                .as("the whole was written at the start and when it was quiet")
                .isEqualTo(2);
    }

    @Test
    void whatPodsWereToldIsWrittenWhenTheProcessEnds() throws Exception {
        stage.gateway();
        stage.route("cart", "cart");
        stage.start();
        stage.settle();
        double told = told();
        stage.route("more", "cart");
        eventually("pods are told", () -> told() > told);
        stage.stop();
        assertThat(stage.changes()).contains("more.example.com");
    }

    private double told() throws Exception {
        return stage.metrics().stream()
                .filter(line -> line.startsWith("shellac_operator_writes_total{outcome=\"written\",what=\"changes\"}"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    @Test
    void aNewProcessSignsThoughNothingChanged() throws Exception {
        stage.gateway();
        stage.route("cart", "cart");
        stage.start();
        stage.settle();
        String writer = stage.writer();
        stage.stop();
        stage.start();
        eventually("the new process is the writer", () -> !stage.writer().equals(writer));
    }

    @Test
    void aNewProcessSignsThoughItHasNothingToWrite() throws Exception {
        stage.parameters("{\"trustedProxies\":[\"10.0.0.0/8\"]}");
        stage.gateway();
        stage.route("cart", "cart");
        stage.start();
        stage.settle();
        String writer = stage.writer();
        String routing = stage.routing();
        stage.stop();
        stage.parameters("{\"trustedProxies\":[\"10.0.0.1\"]}");
        stage.start();
        eventually("the new process is the writer", () -> !stage.writer().equals(writer));
        assertThat(stage.routing()).isEqualTo(routing);
    }

    @Test
    void configurationThatSomebodyEditsOrDeletesComesBack() throws Exception {
        stage.gateway();
        stage.route("cart", "cart");
        stage.start();
        stage.settle();
        String good = stage.routing();
        stage.server().put(MAP, "{\"data\":{\"routing.json\":\"{}\"}}");
        eventually("an edit is undone", () -> stage.routing().equals(good));
        stage.server().remove(MAP);
        eventually("it is there again", () -> stage.routing().equals(good));
        String base = stage.base();
        stage.server().remove(MAP + "-changes");
        eventually("so are the changes", () -> stage.base().equals(base));
        stage.server().remove("/apis/apps/v1/namespaces/shop/deployments/edge");
        eventually(
                "so is a Deployment",
                () -> stage.server()
                        .find("/apis/apps/v1/namespaces/shop/deployments/edge")
                        .isPresent());
    }

    // Such as an operator of a second installation: each would answer the other for ever, a hundred times a second.
    @Test
    void somebodyWhoWritesAgainAndAgainIsNotAnsweredAtOnceEachTime() throws Exception {
        stage.gateway();
        stage.route("cart", "cart");
        stage.start();
        stage.settle();
        String writer = stage.writer();
        int answers = 0;
        long end = System.nanoTime() + Duration.ofSeconds(3).toNanos();
        while (System.nanoTime() < end) {
            if (stage.writer().equals(writer)) {
                stage.server().put(MAP + "-changes", "{\"data\":{\"writer\":\"somebody else\"}}");
                answers++;
            }
            Thread.sleep(2);
        }
        assertThat(answers).isLessThan(15);
        eventually("it has the last word", () -> stage.writer().equals(writer));
    }

    private static String hash(String text) {
        return "sha256:" + Digest.of(text.getBytes(UTF_8));
    }
}
