package dev.shellac.operator;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
}
