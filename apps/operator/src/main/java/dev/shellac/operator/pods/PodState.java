package dev.shellac.operator.pods;

import com.fasterxml.jackson.databind.JsonNode;
import dev.shellac.model.DataPlane.Effect;
import dev.shellac.model.DataPlane.TableRefusal;
import dev.shellac.model.EvenShare;
import dev.shellac.model.Name;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

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
        ConfigRevision live,
        Optional<String> certificates,
        List<TableRefusal> refusals,
        Optional<String> vclRefused,
        List<String> complaints,
        Map<String, String> leftOut,
        List<String> faults) {
    /** A pod may say what it likes, and there may be many: this much is kept of each list, and of each of its words. */
    static final int MOST = 500;

    static final int MOST_COMPLAINTS = 20;
    static final int MOST_LETTERS = 1_024;

    public PodState {
        refusals = List.copyOf(refusals);
        complaints = List.copyOf(complaints);
        leftOut = Map.copyOf(leftOut);
        faults = List.copyOf(faults);
    }

    static PodState of(JsonNode state) {
        var complaints = new ArrayList<String>();
        text(state.path("edge").path("refused"))
                .ifPresent(why -> complaints.add("HAProxy does not run the newest configuration: " + why));
        Map<String, String> leftOut = words(state.path("edge").path("leftOut"), MOST);
        leftOut.entrySet().stream()
                .limit(MOST_COMPLAINTS)
                .forEach(certificate ->
                        complaints.add("HAProxy leaves out " + certificate.getKey() + ": " + certificate.getValue()));
        List<String> faults = words(state.path("faults"), MOST_COMPLAINTS).entrySet().stream()
                .map(fault -> fault.getKey() + ": " + fault.getValue())
                .toList();
        return new PodState(
                cut(state.path("version")),
                cut(state.path("key")),
                state.path("ready").asBoolean(),
                new ConfigRevision(
                        cut(state.path("config").path("routing")),
                        cut(state.path("vcl").path("hash")),
                        cut(state.path("edge").path("hash"))),
                Optional.of(state.path("edge").path("certificates"))
                        .filter(JsonNode::isTextual)
                        .map(PodState::cut),
                refusals(state.path("table").path("refusals")),
                text(state.path("vcl").path("refused")),
                complaints,
                leftOut,
                faults);
    }

    private static List<TableRefusal> refusals(JsonNode all) {
        var refusals = new EvenShare<TableRefusal>(MOST);
        for (JsonNode refusal : all) {
            String route = cut(refusal.path("route"));
            int slash = route.indexOf('/');
            if (slash > 0) {
                var name = new Name(route.substring(0, slash), route.substring(slash + 1));
                refusals.add(name.namespace(), refusal(name, refusal));
            }
        }
        return refusals.elements();
    }

    private static TableRefusal refusal(Name route, JsonNode refusal) {
        int rule = refusal.path("rule").asInt(TableRefusal.ALL);
        int match = refusal.path("match").asInt(TableRefusal.ALL);
        String message = cut(refusal.path("message"));
        String place = cut(refusal.path("field")) + ": ";
        Optional<String> effect = text(refusal.path("effect"));
        if (effect.isEmpty()) {
            // Of an earlier release: what no rule is to blame for is a host or endpoints that a pod has no memory for.
            Effect unnamed = rule == TableRefusal.ALL ? Effect.PARTIAL : Effect.ROUTE_OMITTED;
            return new TableRefusal(route, Optional.empty(), rule, match, unnamed, place + message);
        }
        Effect named = Effect.of(effect.get());
        return new TableRefusal(
                route,
                text(refusal.path("vhost")),
                rule,
                match,
                named,
                named == Effect.HOST_OMITTED ? message : place + message);
    }

    private static Map<String, String> words(JsonNode object, int most) {
        var words = new TreeMap<String, String>();
        object.properties().stream()
                .limit(most)
                .forEach(entry -> words.put(cut(entry.getKey()), cut(entry.getValue())));
        return words;
    }

    private static String cut(JsonNode text) {
        return cut(text.asText());
    }

    private static String cut(String text) {
        return text.length() <= MOST_LETTERS ? text : text.substring(0, MOST_LETTERS);
    }

    private static Optional<String> text(JsonNode node) {
        return Optional.of(cut(node)).filter(words -> !words.isEmpty());
    }
}
