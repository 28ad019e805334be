package dev.shellac.operator.pods;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.shellac.model.DataPlane.Effect;
import dev.shellac.model.DataPlane.TableRefusal;
import dev.shellac.model.Name;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class PodStateTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Name ROUTE = new Name("ns", "r");

    @Test
    void theStateOfAPodIsRead() throws Exception {
        PodState state = state("""
                {"version":"7","ready":true,"config":{"routing":"sha256:a"},
                "vcl":{"hash":"sha256:b","refused":"line 1"},"edge":{"hash":"sha256:c"},"faults":{"api":"away"}}""");
        assertThat(state.live()).isEqualTo(new ConfigRevision("sha256:a", "sha256:b", "sha256:c"));
        assertThat(state.vclRefused()).hasValue("line 1");
        assertThat(state.faults()).containsExactly("api: away");
        assertThat(state.certificates()).as("of an earlier release").isEmpty();
        assertThat(state("{\"edge\":{\"certificates\":\"sha256:d\"}}").certificates())
                .hasValue("sha256:d");
    }

    @Test
    void aRefusalNamesItsHostAndWhatBecomesOfTheRoute() throws Exception {
        assertThat(refusals("""
                {"vhost":"h","route":"ns/r","rule":1,"match":2,"field":"path","effect":"route-omitted","message":"bad"},
                {"vhost":"h","route":"ns/r","rule":1,"match":2,"field":"path","effect":"deferred","message":"later"},
                {"vhost":"h","route":"ns/r","field":"host h","effect":"host-omitted","message":"no memory"},
                {"vhost":"","route":"ns/r","field":"some endpoints of ns/s","effect":"partial","message":"no memory"},
                {"vhost":"h","route":"ns/r","field":"path","effect":"of-a-later-release","message":"new"},
                {"vhost":"h","route":"","field":"vhosts","effect":"host-omitted","message":"of no route"}"""))
                .containsExactly(
                        new TableRefusal(ROUTE, Optional.of("h"), 1, 2, Effect.ROUTE_OMITTED, "path: bad"),
                        new TableRefusal(ROUTE, Optional.of("h"), 1, 2, Effect.DEFERRED, "path: later"),
                        whole(Optional.of("h"), Effect.HOST_OMITTED, "no memory"),
                        whole(Optional.empty(), Effect.PARTIAL, "some endpoints of ns/s: no memory"),
                        whole(Optional.of("h"), Effect.PARTIAL, "path: new"));
    }

    @Test
    void aPodOfAnEarlierReleaseNamesNoEffect() throws Exception {
        assertThat(refusals("""
                {"vhost":"h","route":"ns/r","rule":1,"match":2,"field":"path","message":"bad"},
                {"vhost":"h","route":"ns/r","field":"host h","message":"no memory"}"""))
                .containsExactly(
                        new TableRefusal(ROUTE, Optional.empty(), 1, 2, Effect.ROUTE_OMITTED, "path: bad"),
                        whole(Optional.empty(), Effect.PARTIAL, "host h: no memory"));
    }

    @Test
    void ofAPodThatSaysTooMuchLittleIsKept() {
        ObjectNode said = JSON.createObjectNode().put("version", "v".repeat(100_000));
        ObjectNode edge = said.putObject("edge").put("refused", "r".repeat(100_000));
        ObjectNode leftOut = edge.putObject("leftOut");
        ObjectNode faults = said.putObject("faults");
        var refusals = said.putObject("table").putArray("refusals");
        for (int i = 0; i < 2_000; i++) {
            leftOut.put("file" + i, "l".repeat(10_000));
            faults.put("fault" + i, "f");
            refusals.addObject().put("route", "shop/r" + i).put("message", "m".repeat(10_000));
        }
        refusals.addObject().put("route", "other/r").put("message", "of another namespace");
        PodState state = PodState.of(said);
        assertThat(state.version()).hasSize(PodState.MOST_LETTERS);
        assertThat(state.refusals()).hasSize(PodState.MOST);
        assertThat(state.refusals().getFirst().message()).hasSizeLessThan(2 * PodState.MOST_LETTERS);
        assertThat(state.refusals()).extracting(TableRefusal::route).contains(new Name("other", "r"));
        assertThat(state.leftOut()).hasSize(PodState.MOST);
        assertThat(state.complaints()).hasSize(PodState.MOST_COMPLAINTS + 1);
        assertThat(state.complaints().getFirst()).hasSizeLessThan(2 * PodState.MOST_LETTERS);
        assertThat(state.faults()).hasSize(PodState.MOST_COMPLAINTS);
    }

    private static TableRefusal whole(Optional<String> host, Effect effect, String message) {
        return new TableRefusal(ROUTE, host, TableRefusal.ALL, TableRefusal.ALL, effect, message);
    }

    private static List<TableRefusal> refusals(String entries) throws JsonProcessingException {
        return state("{\"table\":{\"refusals\":[" + entries + "]}}").refusals();
    }

    private static PodState state(String json) throws JsonProcessingException {
        return PodState.of(JSON.readTree(json));
    }
}
