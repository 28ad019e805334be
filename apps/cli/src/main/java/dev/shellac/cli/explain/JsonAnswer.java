package dev.shellac.cli.explain;

import dev.shellac.explain.Explanation.Other;
import dev.shellac.explain.Handling;
import dev.shellac.explain.table.Route;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An answer for programs. */
public final class JsonAnswer {
    private JsonAnswer() {}

    public static Map<String, Object> of(ExplainResult result) {
        Summary summary = Summary.of(result);
        var tree = new LinkedHashMap<String, Object>();
        tree.put("served", summary.served());
        tree.put("answer", summary.line());
        tree.put("gateway", result.table().plan().gateway().toString());
        result.explanation().listener().ifPresent(listener -> tree.put("listener", listener.key()));
        result.taken().ifPresent(taken -> {
            tree.put("host", taken.host().name());
            tree.put("route", route(result, taken.route()));
        });
        result.handling().ifPresent(handling -> {
            tree.put("filters", ExplainText.filters(handling));
            tree.put("backends", backends(handling));
            handling.cacheDecision().ifPresent(cacheDecision -> tree.put("cache", ExplainText.cache(cacheDecision)));
        });
        tree.put(
                "others",
                result.explanation().others().stream()
                        .map(other -> other(result, other))
                        .toList());
        return tree;
    }

    private static Map<String, Object> route(ExplainResult result, Route route) {
        var tree = new LinkedHashMap<String, Object>();
        tree.put("name", route.origin().name());
        tree.put("rule", route.origin().rule());
        tree.put("match", route.origin().match());
        tree.put("file", result.place(route).file());
        tree.put("line", result.place(route).line());
        return tree;
    }

    private static List<Map<String, Object>> backends(Handling handling) {
        return handling.route().traffic().groups().stream()
                .<Map<String, Object>>map(group -> {
                    var tree = new LinkedHashMap<String, Object>();
                    tree.put("service", Summary.service(group));
                    tree.put("weight", group.weight());
                    tree.put("endpoints", handling.pool(group.target()).endpoints());
                    return tree;
                })
                .toList();
    }

    private static Map<String, Object> other(ExplainResult result, Other other) {
        Map<String, Object> tree = route(result, other.route());
        tree.put("why", Reasons.of(other, result.taken()));
        return tree;
    }
}
