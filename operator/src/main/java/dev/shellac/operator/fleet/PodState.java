package dev.shellac.operator.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import dev.shellac.model.DataPlane.TableRefusal;
import dev.shellac.model.Name;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a pod says of itself.
 *
 * @param version of this state, to wait for the next
 * @param key what it knows us by is made with; empty where it takes nothing from us
 * @param live what it serves from
 * @param certificates the hash of all certificates that it serves with, empty while it serves with none; nothing where an earlier release runs
 * @param vclRefused the compiler's words about a newer VCL
 * @param complaints what of the configuration HAProxy did not take, in words
 * @param leftOut files of certificates that HAProxy did not take, and its words
 * @param faults what else is wrong that no route is to blame for
 */
public record PodState(
        String version,
        String key,
        boolean ready,
        Fingerprint live,
        Optional<String> certificates,
        List<TableRefusal> refusals,
        Optional<String> vclRefused,
        List<String> complaints,
        Map<String, String> leftOut,
        List<String> faults) {
    public PodState {
        refusals = List.copyOf(refusals);
        complaints = List.copyOf(complaints);
        leftOut = Map.copyOf(leftOut);
        faults = List.copyOf(faults);
    }

    static PodState of(JsonNode state) {
        var refusals = new ArrayList<TableRefusal>();
        for (JsonNode refusal : state.path("table").path("refusals")) {
            String route = refusal.path("route").asText();
            int slash = route.indexOf('/');
            if (slash > 0) {
                refusals.add(new TableRefusal(
                        new Name(route.substring(0, slash), route.substring(slash + 1)),
                        refusal.path("rule").asInt(),
                        refusal.path("match").asInt(),
                        refusal.path("field").asText() + ": "
                                + refusal.path("message").asText()));
            }
        }
        var faults = new ArrayList<String>();
        state.path("faults")
                .properties()
                .forEach(fault ->
                        faults.add(fault.getKey() + ": " + fault.getValue().asText()));
        var complaints = new ArrayList<String>();
        text(state.path("edge").path("refused"))
                .ifPresent(why -> complaints.add("HAProxy does not run the newest configuration: " + why));
        state.path("edge")
                .path("leftOut")
                .properties()
                .forEach(certificate -> complaints.add("HAProxy leaves out " + certificate.getKey() + ": "
                        + certificate.getValue().asText()));
        var leftOut = new HashMap<String, String>();
        state.path("edge")
                .path("leftOut")
                .properties()
                .forEach(file -> leftOut.put(file.getKey(), file.getValue().asText()));
        return new PodState(
                state.path("version").asText(),
                state.path("key").asText(),
                state.path("ready").asBoolean(),
                new Fingerprint(
                        state.path("config").path("routing").asText(),
                        state.path("vcl").path("hash").asText(),
                        state.path("edge").path("hash").asText()),
                Optional.of(state.path("edge").path("certificates"))
                        .filter(JsonNode::isTextual)
                        .map(JsonNode::asText),
                refusals,
                text(state.path("vcl").path("refused")),
                complaints,
                leftOut,
                faults);
    }

    private static Optional<String> text(JsonNode node) {
        return Optional.of(node.asText()).filter(words -> !words.isEmpty());
    }
}
