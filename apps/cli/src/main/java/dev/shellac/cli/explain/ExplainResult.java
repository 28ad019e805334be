package dev.shellac.cli.explain;

import dev.shellac.cli.analysis.FolderAnalysis;
import dev.shellac.cli.analysis.GatewayTable;
import dev.shellac.decode.tree.Position;
import dev.shellac.explain.Explanation;
import dev.shellac.explain.Explanation.Verdict;
import dev.shellac.explain.Handling;
import dev.shellac.explain.request.Request;
import dev.shellac.explain.table.Route;
import dev.shellac.model.GroupKind;
import dev.shellac.model.ResourceId;
import java.util.Optional;

/** A question and its answer. */
public record ExplainResult(FolderAnalysis analysis, GatewayTable table, Request request, Explanation explanation) {
    Optional<Verdict.Taken> taken() {
        return explanation.verdict() instanceof Verdict.Taken taken ? Optional.of(taken) : Optional.empty();
    }

    Optional<Handling> handling() {
        return taken().map(taken ->
                new Handling(table.table(), request, explanation.listener().orElseThrow(), taken.route()));
    }

    /** The object that a route of the table came from. */
    static ResourceId object(Route route) {
        String name = route.origin().name();
        int slash = name.indexOf('/');
        return ResourceId.of(GroupKind.HTTP_ROUTE, name.substring(0, slash), name.substring(slash + 1));
    }

    Position place(Route route) {
        return analysis.place(object(route));
    }

    /** {@code HTTPRoute default/shop rule 1 (api) match 0}. */
    static String words(Route route) {
        return object(route) + " rule " + route.origin().rule()
                + route.origin().ruleName().map(name -> " (" + name + ")").orElse("") + " match "
                + route.origin().match();
    }
}
