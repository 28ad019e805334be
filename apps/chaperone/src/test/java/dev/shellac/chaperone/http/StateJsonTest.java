package dev.shellac.chaperone.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.shellac.chaperone.controller.LiveState;
import dev.shellac.chaperone.controller.StatePublisher;
import dev.shellac.model.Name;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The operator drops an answer of more than a mebibyte, whatever is in it. */
final class StateJsonTest {
    // The longest that Kubernetes has: a host name, and a namespace and a name.
    private static final String HOST = "h".repeat(253);
    private static final String ROUTE = "n".repeat(63) + "/" + "r".repeat(253);

    private static LiveState.Refusal refusal(String vhost, String route, String message) {
        return new LiveState.Refusal(
                vhost,
                route,
                Optional.of(Integer.MAX_VALUE),
                Optional.of(Integer.MAX_VALUE),
                "backend_groups[63].filters.request_header_modifier.set[63].value",
                "route-omitted",
                message);
    }

    private static LiveState state(List<LiveState.Refusal> refusals, String text, int count) {
        Optional<String> some = Optional.of(text.repeat(20_000));
        var texts = new HashMap<String, String>();
        var services = new HashSet<Name>();
        var namespaces = new HashSet<String>();
        for (int i = 0; i < count; i++) {
            texts.put(i + "-" + "f".repeat(317), text.repeat(2_000));
            namespaces.add(i + text.repeat(63));
            services.add(new Name("n".repeat(58) + i, "s".repeat(63)));
        }
        return new LiveState(
                new LiveState.Config(some, some),
                new LiveState.Table(some, Long.MAX_VALUE, Long.MAX_VALUE, refusals),
                new LiveState.Vcl(some, some, some),
                new LiveState.Endpoints(namespaces, services),
                new LiveState.Edge(true, some, some, some, Integer.MAX_VALUE, texts),
                texts);
    }

    private static String json(LiveState state) throws IOException {
        return StateJson.of(
                new StatePublisher.VersionedState(state, "v".repeat(2_000)),
                true,
                new StateJson.Self("p".repeat(2_000), "k".repeat(2_000)));
    }

    /** A control character takes six bytes, others up to three for each of their units. */
    @ParameterizedTest
    @ValueSource(strings = {"m", "\u0001", "\"", "\\", "\u20ac", "\ud83d\ude00"})
    void noStateIsLargerThanTheOperatorTakes(String text) throws Exception {
        var refusals = new ArrayList<LiveState.Refusal>();
        for (int i = 0; i < 5_000; i++) {
            refusals.add(refusal(text.repeat(253), "ns" + i % 7 + "/" + text.repeat(253), text.repeat(2_000)));
        }
        String json = json(state(refusals, text, 5_000));
        assertThat(json.getBytes(UTF_8)).hasSizeLessThan(StateJson.MOST_BYTES);
        assertThat(new JsonMapper().readTree(json).path("table").path("refusals"))
                .isNotEmpty();
    }

    /** So the bound in bytes takes nothing from what Kubernetes can name. */
    @Test
    void theLongestNamesAreAllIn() throws Exception {
        var refusals = new ArrayList<LiveState.Refusal>();
        for (int i = 0; i < 3_000; i++) {
            refusals.add(refusal(HOST, ROUTE, "m".repeat(2_000)));
        }
        String json = json(state(refusals, "w", 3_000));
        JsonNode state = new JsonMapper().readTree(json);
        assertThat(json.getBytes(UTF_8)).hasSizeLessThan(StateJson.MOST_BYTES);
        assertThat(state.path("table").path("refusals")).hasSize(StateJson.MOST_ELEMENTS);
        assertThat(state.path("table").path("refusals").path(0).path("message").asText())
                .isEqualTo("m".repeat(200));
        assertThat(state.path("edge").path("leftOut")).hasSize(StateJson.MOST_ELEMENTS);
        assertThat(state.path("table").path("refusals").path(0).path("effect").asText())
                .isEqualTo("route-omitted");
    }

    @Test
    void aNamespaceWithManyRefusalsHidesNoOther() throws Exception {
        var refusals = new ArrayList<LiveState.Refusal>();
        for (int i = 0; i < 1_000; i++) {
            refusals.add(refusal("a.example.com", "greedy/r" + i, "too large"));
        }
        refusals.add(refusal("z.example.com", "shop/r", "too large"));
        JsonNode all = new JsonMapper()
                .readTree(json(new LiveState(
                        new LiveState.Config(Optional.empty(), Optional.empty()),
                        new LiveState.Table(Optional.of(""), 2, 1_001, refusals),
                        new LiveState.Vcl(Optional.empty(), Optional.empty(), Optional.empty()),
                        new LiveState.Endpoints(Set.of(), Set.of()),
                        new LiveState.Edge(false, Optional.empty(), Optional.empty(), Optional.empty(), 0, Map.of()),
                        Map.of())))
                .path("table")
                .path("refusals");
        assertThat(all).hasSize(StateJson.MOST_ELEMENTS);
        assertThat(StreamSupport.stream(all.spliterator(), false)
                        .map(refusal -> refusal.path("route").asText()))
                .contains("shop/r", "greedy/r0", "greedy/r498")
                .doesNotContain("greedy/r499");
    }
}
