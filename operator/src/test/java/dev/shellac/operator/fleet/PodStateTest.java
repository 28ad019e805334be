package dev.shellac.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

final class PodStateTest {
    private static final JsonMapper JSON = new JsonMapper();

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
        PodState state = PodState.of(said);
        assertThat(state.version()).hasSize(PodState.MOST_LETTERS);
        assertThat(state.refusals()).hasSize(PodState.MOST);
        assertThat(state.refusals().getFirst().message()).hasSizeLessThan(2 * PodState.MOST_LETTERS);
        assertThat(state.leftOut()).hasSize(PodState.MOST);
        assertThat(state.complaints()).hasSize(PodState.MOST_COMPLAINTS + 1);
        assertThat(state.complaints().getFirst()).hasSizeLessThan(2 * PodState.MOST_LETTERS);
        assertThat(state.faults()).hasSize(PodState.MOST_COMPLAINTS);
    }
}
