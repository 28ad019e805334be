package dev.shellac.kube.write;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class StatusMergeTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String NOW = "2026-02-02T00:00:00Z";
    private static final String THEN = "2026-01-01T00:00:00Z";
    private final StatusMerge merge = new StatusMerge("ours.example/c", Set.of("Accepted", "Programmed"), NOW);

    private static JsonNode json(String text) throws Exception {
        return JSON.readTree(text.replace('\'', '"'));
    }

    private static Map<String, Object> condition(String type, String status, String message) {
        return Map.of("type", type, "status", status, "reason", "R", "message", message, "observedGeneration", 2L);
    }

    @Test
    void aConditionKeepsItsTimeForAsLongAsItsStatusIsTheSame() throws Exception {
        JsonNode before = json("{'conditions':[{'type':'Accepted','status':'True','lastTransitionTime':'" + THEN
                + "'},{'type':'Programmed','status':'False','lastTransitionTime':'" + THEN + "'}]}");
        ObjectNode after = merge.merged(
                before,
                Map.of(
                        "conditions",
                        List.of(condition("Accepted", "True", "other words"), condition("Programmed", "True", "m"))));
        assertThat(after.at("/conditions/0/lastTransitionTime").asText()).isEqualTo(THEN);
        assertThat(after.at("/conditions/0/message").asText()).isEqualTo("other words");
        assertThat(after.at("/conditions/1/lastTransitionTime").asText()).isEqualTo(NOW);
    }

    @Test
    void conditionsOfOthersStayAsTheyAreNowAndNotAsTheyWereRead() throws Exception {
        JsonNode before = json("{'conditions':[{'type':'example.com/Fresh','status':'True','strange':[1]}]}");
        ObjectNode after = merge.merged(
                before,
                Map.of(
                        "conditions",
                        List.of(
                                condition("Accepted", "True", "m"),
                                Map.of(
                                        "type",
                                        "example.com/Stale",
                                        "status",
                                        "True",
                                        "lastTransitionTime",
                                        "2020-01-01T00:00:00Z"))));
        assertThat(after.path("conditions")).hasSize(2);
        assertThat(after.at("/conditions/1")).isEqualTo(before.at("/conditions/0"));
    }

    @Test
    void aConditionOfOursThatIsNotDecidedAnyMoreGoes() throws Exception {
        JsonNode before = json("{'conditions':[{'type':'Programmed','status':'True'}]}");
        ObjectNode after = merge.merged(before, Map.of("conditions", List.of(condition("Accepted", "True", "m"))));
        assertThat(after.path("conditions")).hasSize(1);
    }

    @Test
    void entriesOfOtherControllersStay() throws Exception {
        JsonNode before = json(
                "{'parents':[{'controllerName':'theirs','parentRef':{'name':'a'},'conditions':[{'type':'Accepted','status':'False'}]},"
                        + "{'controllerName':'ours.example/c','parentRef':{'name':'gone'},'conditions':[]}]}");
        ObjectNode after = merge.merged(
                before,
                Map.of(
                        "parents",
                        List.of(Map.of(
                                "controllerName",
                                "ours.example/c",
                                "parentRef",
                                Map.of("name", "b"),
                                "conditions",
                                List.of(condition("Accepted", "True", "m"))))));
        assertThat(after.path("parents")).hasSize(2);
        assertThat(after.at("/parents/0")).isEqualTo(before.at("/parents/0"));
        assertThat(after.at("/parents/1/parentRef/name").asText()).isEqualTo("b");
    }

    @Test
    void anEntryKeepsTheTimesOfTheSameParentAlone() throws Exception {
        JsonNode before = json("{'parents':[{'controllerName':'ours.example/c','parentRef':{'name':'a','port':80},"
                + "'conditions':[{'type':'Accepted','status':'True','lastTransitionTime':'" + THEN + "'}]}]}");
        ObjectNode after = merge.merged(before, Map.of("parents", List.of(parent(80), parent(81))));
        assertThat(after.at("/parents/0/conditions/0/lastTransitionTime").asText())
                .isEqualTo(THEN);
        assertThat(after.at("/parents/1/conditions/0/lastTransitionTime").asText())
                .isEqualTo(NOW);
    }

    private static Map<String, Object> parent(int port) {
        return Map.of(
                "controllerName",
                "ours.example/c",
                "parentRef",
                Map.of("name", "a", "port", port),
                "conditions",
                List.of(condition("Accepted", "True", "m")));
    }

    @Test
    void whatIsThereAlreadyChangesNothing() throws Exception {
        Map<String, Object> wanted = Map.of(
                "conditions", List.of(condition("Accepted", "True", "m")),
                "listeners",
                        List.of(Map.of(
                                "name",
                                "web",
                                "attachedRoutes",
                                1,
                                "conditions",
                                List.of(condition("Programmed", "True", "m")))));
        ObjectNode first = merge.merged(JSON.createObjectNode(), wanted);
        assertThat(StatusMerge.changes(JSON.createObjectNode(), first)).isTrue();
        JsonNode stored = JSON.readTree(JSON.writeValueAsBytes(first));
        ObjectNode second = new StatusMerge("ours.example/c", Set.of("Accepted", "Programmed"), "2027-01-01T00:00:00Z")
                .merged(stored, wanted);
        assertThat(StatusMerge.changes(stored, second)).isFalse();
    }

    @Test
    void addressesThatAreNoMoreGo() throws Exception {
        JsonNode before = json("{'addresses':[{'type':'IPAddress','value':'192.0.2.1'}]}");
        ObjectNode after = merge.merged(before, Map.of("conditions", List.of()));
        assertThat(after.path("addresses").isNull()).isTrue();
        assertThat(StatusMerge.changes(before, after)).isTrue();
    }
}
