package dev.shellac.cli.analysis;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.shellac.cli.analysis.StatusReport.ListenerRow;
import dev.shellac.cli.analysis.StatusReport.RouteRow;
import dev.shellac.decode.Finding.Severity;
import dev.shellac.decode.tree.Position;
import dev.shellac.model.Name;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.StreamSupport;

/**
 * What {@code shellac status} shows: of a folder, or of a run, which writes it into its state folder in the form that
 * {@code shellac status --output json} prints.
 *
 * @param running the Gateways that are served; nothing if no run serves the folder
 */
public record RunState(Optional<List<String>> running, StatusReport report, List<Problem> problems) {
    private static final JsonMapper JSON = new JsonMapper();

    public static RunState of(FolderAnalysis analysis) {
        return of(analysis, analysis.problems());
    }

    /**
     * The same, where they are known already.
     *
     * @param problems all of the site
     */
    public static RunState of(FolderAnalysis analysis, List<Problem> problems) {
        return new RunState(
                analysis.running().map(RunState::served),
                StatusReport.of(analysis),
                problems.stream()
                        .filter(problem -> problem.severity() != Severity.NOTE)
                        .toList());
    }

    private static List<String> served(Map<Name, RunningGateway> gateways) {
        return gateways.entrySet().stream()
                .filter(gateway -> gateway.getValue().isServing())
                .map(gateway -> gateway.getKey().toString())
                .sorted()
                .toList();
    }

    public Map<String, Object> json() {
        var tree = new LinkedHashMap<String, Object>();
        tree.put("running", running.orElse(List.of()));
        tree.put("listeners", report.listeners());
        tree.put("routes", report.routes());
        tree.put("problems", problems.stream().map(Problem::json).toList());
        return tree;
    }

    public String print() throws JsonProcessingException {
        return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(json()) + "\n";
    }

    /** What a run printed. */
    static RunState parse(String text) throws JsonProcessingException {
        JsonNode tree = JSON.readTree(text);
        var running = new ArrayList<String>();
        tree.path("running").forEach(name -> running.add(name.asText()));
        var listeners = new ArrayList<ListenerRow>();
        for (JsonNode door : tree.path("listeners")) {
            listeners.add(JSON.treeToValue(door, ListenerRow.class));
        }
        var routes = new ArrayList<RouteRow>();
        for (JsonNode path : tree.path("routes")) {
            routes.add(JSON.treeToValue(path, RouteRow.class));
        }
        List<Problem> problems = StreamSupport.stream(tree.path("problems").spliterator(), false)
                .map(RunState::problem)
                .toList();
        return new RunState(Optional.of(running), new StatusReport(listeners, routes), problems);
    }

    private static Problem problem(JsonNode json) {
        return new Problem(
                Severity.valueOf(json.path("severity").asText().toUpperCase(Locale.ROOT)),
                new Position(json.path("file").asText(), json.path("line").asInt()),
                json.path("object").asText(),
                json.path("part").asText(),
                json.path("reason").asText(),
                json.path("message").asText());
    }
}
