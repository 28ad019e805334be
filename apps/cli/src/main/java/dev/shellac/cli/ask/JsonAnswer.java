package dev.shellac.cli.ask;

import dev.shellac.explain.Explanation.Other;
import dev.shellac.explain.Handling;
import dev.shellac.explain.table.Route;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An answer for programs. */
public final class JsonAnswer {
    private JsonAnswer() {}

    public static Map<String, Object> of(Told told) {
        Summary summary = Summary.of(told);
        var tree = new LinkedHashMap<String, Object>();
        tree.put("served", summary.served());
        tree.put("answer", summary.line());
        tree.put("gateway", told.table().plan().gateway().toString());
        told.explanation().listener().ifPresent(listener -> tree.put("listener", listener.key()));
        told.taken().ifPresent(taken -> {
            tree.put("host", taken.host().name());
            tree.put("route", route(told, taken.route()));
        });
        told.handling().ifPresent(handling -> {
            tree.put("filters", Words.filters(handling));
            tree.put("backends", backends(handling));
            handling.cacheDecision().ifPresent(cacheDecision -> tree.put("cache", Words.cache(cacheDecision)));
        });
        tree.put(
                "others",
                told.explanation().others().stream()
                        .map(other -> other(told, other))
                        .toList());
        return tree;
    }

    private static Map<String, Object> route(Told told, Route route) {
        var tree = new LinkedHashMap<String, Object>();
        tree.put("name", route.origin().name());
        tree.put("rule", route.origin().rule());
        tree.put("match", route.origin().match());
        tree.put("file", told.place(route).file());
        tree.put("line", told.place(route).line());
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

    private static Map<String, Object> other(Told told, Other other) {
        Map<String, Object> tree = route(told, other.route());
        tree.put("why", Reasons.of(other, told.taken()));
        return tree;
    }
}
