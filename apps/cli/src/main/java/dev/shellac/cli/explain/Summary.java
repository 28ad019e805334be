package dev.shellac.cli.explain;

import dev.shellac.explain.Answer;
import dev.shellac.explain.Draw;
import dev.shellac.explain.Explanation.Verdict;
import dev.shellac.explain.Handling;
import dev.shellac.explain.table.Route.Group;
import dev.shellac.explain.table.Route.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * An answer in one line: a status, or the Services that get the request.
 *
 * @param served whether the client gets what somebody wrote for it, and not an error of ours
 */
public record Summary(String line, boolean served) {
    public static Summary of(ExplainResult result) {
        return switch (result.explanation().verdict()) {
            case Verdict.Missed missed -> new Summary(missed.miss().status() + " " + missed.miss(), false);
            case Verdict.Taken taken -> handled(result.handling().orElseThrow());
        };
    }

    private static Summary handled(Handling handling) {
        return switch (handling.answer(Draw.LOWEST)) {
            case Answer.Redirected redirected -> new Summary(redirected.status() + " " + redirected.location(), true);
            case Answer.Preflight preflight -> new Summary("200 preflight", true);
            case Answer.Invalid invalid -> shares(handling);
            case Answer.Unavailable unavailable -> shares(handling);
            case Answer.Forwarded forwarded -> shares(handling);
        };
    }

    private static Summary shares(Handling handling) {
        List<Group> groups = handling.route().traffic().groups().stream()
                .filter(group -> group.weight() > 0)
                .toList();
        if (groups.isEmpty()) {
            return new Summary("500 invalid", false);
        }
        var parts = new ArrayList<String>();
        boolean served = false;
        for (Group group : groups) {
            boolean answers = !handling.pool(group.target()).endpoints().isEmpty();
            served |= answers;
            String name = answers ? service(group) : emptiness(group);
            parts.add(groups.size() == 1 ? name : percent(group, handling) + " " + name);
        }
        boolean cached = handling.cacheDecision()
                .filter(cacheDecision -> cacheDecision.pass().isEmpty())
                .isPresent();
        return new Summary(String.join(", ", parts) + (served && cached ? ", cached" : ""), served);
    }

    private static String emptiness(Group group) {
        return group.target() instanceof Target.Invalid ? "500 invalid" : group.onEmpty() + " unavailable";
    }

    static String service(Group group) {
        return switch (group.target()) {
            case Target.Named named -> named.pool();
            case Target.Inline inline -> String.join(", ", inline.pool().endpoints());
            case Target.Invalid invalid -> "500";
        };
    }

    static String percent(Group group, Handling handling) {
        String number = String.format(Locale.ROOT, "%.1f", 100.0 * group.weight() / handling.totalWeight());
        return (number.endsWith(".0") ? number.substring(0, number.length() - 2) : number) + "%";
    }
}
