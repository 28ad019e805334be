package dev.shellac.operator;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A namespace whose routes are larger than the operator takes them. */
final class LargeRoutesTest {
    private static final int MANY = 60;
    private static final String TENANT = Stage.GROUP + "/namespaces/tenant/httproutes/";

    private final Stage stage = new Stage();

    LargeRoutesTest() throws Exception {}

    @AfterEach
    void end() {
        stage.close();
    }

    private void tenant(String name, int value) {
        String match = "{\"headers\":[{\"name\":\"a\",\"value\":\"" + "v".repeat(value) + "\"}]}";
        String matches = IntStream.range(0, 50).mapToObj(i -> match).collect(Collectors.joining(","));
        stage.server()
                .put(
                        TENANT + name,
                        "{\"metadata\":{\"name\":\"" + name + "\",\"namespace\":\"tenant\"},\"spec\":{\"parentRefs\":"
                                + "[{\"name\":\"edge\",\"namespace\":\"shop\"}],\"hostnames\":[\"" + name
                                + ".example.org\"],\"rules\":[{\"matches\":[" + matches + "]}]}}");
    }

    private Optional<String> accepted(String path) {
        return stage.condition(path, "/status/parents/0/conditions", "Accepted");
    }

    @Test
    void theyAreRefusedInTheirStatusAndOthersAreServed() throws Exception {
        stage.listeners(
                "{\"name\":\"web\",\"port\":80,\"protocol\":\"HTTP\",\"allowedRoutes\":{\"namespaces\":{\"from\":\"All\"}}}");
        stage.route("cart", "cart");
        for (int i = 0; i < MANY; i++) {
            tenant("r" + i, 4_000);
        }
        stage.start();
        stage.settle();
        assertThat(accepted(Stage.ROUTES + "cart")).contains("True Accepted");
        assertThat(stage.routing()).contains("cart.example.com").doesNotContain("example.org");
        for (int i = 0; i < MANY; i++) {
            String path = TENANT + "r" + i;
            eventually("it is refused", () -> accepted(path).equals(Optional.of("False UnsupportedValue")));
            List<String> messages =
                    stage.server().find(path).orElseThrow().path("status").findValuesAsText("message");
            assertThat(messages)
                    .anySatisfy(message -> assertThat(message)
                            .startsWith("this version of the route is invalid: it has 20")
                            .contains("and at most 131072 are taken"));
        }
        tenant("r0", 100);
        eventually("the smaller one is accepted", () -> accepted(TENANT + "r0").equals(Optional.of("True Accepted")));
        eventually("the smaller one is served", () -> stage.routing().contains("r0.example.org"));
        tenant("r0", 4_000);
        eventually(
                "the larger one is not", () -> accepted(TENANT + "r0").equals(Optional.of("False UnsupportedValue")));
        assertThat(stage.routing()).as("what was before it").contains("r0.example.org");
    }

    private long count(String outcome) {
        return IntStream.range(0, MANY)
                .mapToObj(i -> accepted(TENANT + "r" + i))
                .filter(Optional.of(outcome)::equals)
                .count();
    }

    /** The whole, which is compressed where it is large. */
    private String routing() {
        String packed = stage.server()
                .find(Stage.MAP)
                .map(map -> map.path("binaryData").path("routing.json.gz").asText())
                .orElse("");
        if (packed.isEmpty()) {
            return stage.whole();
        }
        try (var in =
                new GZIPInputStream(new ByteArrayInputStream(Base64.getDecoder().decode(packed)))) {
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Set<Integer> served() {
        String routing = routing();
        return IntStream.range(0, MANY)
                .filter(i -> routing.contains("r" + i + ".example.org"))
                .boxed()
                .collect(Collectors.toSet());
    }

    @Test
    void aNamespaceBeyondItsShareHasItsRoutesRefusedAloneAlsoAfterAStart() throws Exception {
        stage.heap(9 << 20); // 1 MiB for each namespace, and 128 KiB for outlines
        stage.listeners(
                "{\"name\":\"web\",\"port\":80,\"protocol\":\"HTTP\",\"allowedRoutes\":{\"namespaces\":{\"from\":\"All\"}}}");
        stage.route("cart", "cart");
        for (int i = 0; i < MANY; i++) {
            tenant("r" + i, 1_500);
        }
        stage.start();
        stage.settle();
        eventually("each has a status", () -> count("True Accepted") + count("False UnsupportedValue") == MANY);
        long fitting = count("True Accepted");
        assertThat(fitting).isBetween(10L, 13L);
        Set<Integer> before = served();
        assertThat(before).hasSize((int) fitting);
        int refused = IntStream.range(0, MANY)
                .filter(i -> !before.contains(i))
                .findFirst()
                .orElseThrow();
        assertThat(stage.server()
                        .find(TENANT + "r" + refused)
                        .orElseThrow()
                        .path("status")
                        .findValuesAsText("message"))
                .anySatisfy(message -> assertThat(message)
                        .matches(
                                "this version of the route is invalid: namespace tenant has no room for it in the operator's memory:"
                                        + " its routes, policies, invalidations and grants counted [0-9]+ of at most 1048576 when this version was refused,"
                                        + " and it counts [0-9]+ more .*"));
        stage.route("late", "cart");
        eventually("the neighbour's next route is served", () -> routing().contains("late.example.com"));
        stage.stop();
        stage.start();
        stage.settle();
        assertThat(served()).isEqualTo(before);
        int goes = before.iterator().next();
        stage.server().remove(TENANT + "r" + goes);
        eventually("another one has its place", () -> served().size() == fitting && !served().contains(goes));
        assertThat(routing()).contains("cart.example.com", "late.example.com");
    }

    @Test
    void anUpdateBeyondTheShareIsRefusedAndTheVersionBeforeStaysAlsoAfterAStart() throws Exception {
        stage.heap(9 << 20);
        stage.listeners(
                "{\"name\":\"web\",\"port\":80,\"protocol\":\"HTTP\",\"allowedRoutes\":{\"namespaces\":{\"from\":\"All\"}}}");
        stage.route("cart", "cart");
        for (int i = 0; i < 10; i++) {
            tenant("r" + i, 1_700);
        }
        stage.start();
        eventually("all are taken", () -> count("True Accepted") == 10);
        for (int i = 0; i < 5; i++) {
            tenant("r" + i, 2_500);
        }
        eventually("some of them are not", () -> count("False UnsupportedValue") > 0);
        stage.settle();
        assertThat(count("True Accepted")).isGreaterThanOrEqualTo(7);
        assertThat(served()).hasSize(10);
        stage.stop();
        stage.start();
        stage.settle();
        assertThat(served()).hasSizeBetween(9, 10);
        stage.server().remove(TENANT + "r8");
        stage.server().remove(TENANT + "r9");
        eventually("there is room", () -> count("True Accepted") == 8 && count("False UnsupportedValue") == 0);
    }
}
