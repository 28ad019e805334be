package dev.shellac.cli.explain;

import dev.shellac.cli.show.Show;
import dev.shellac.explain.Answer;
import dev.shellac.explain.Draw;
import dev.shellac.explain.Explanation.Miss;
import dev.shellac.explain.Explanation.Other;
import dev.shellac.explain.Explanation.Verdict;
import dev.shellac.explain.Explanation.Verdict.Taken;
import dev.shellac.explain.Handling;
import java.util.List;

/** An answer for people. */
public record TextAnswer(ExplainResult result, Show show, int mostOthers) {
    private static final int INDENT = 10;

    public void print() {
        result.explanation()
                .listener()
                .ifPresent(listener -> part(
                        "listener",
                        List.of(listener.key() + ", " + listener.scheme() + " on port "
                                + listener.port().map(String::valueOf).orElse("?"))));
        switch (result.explanation().verdict()) {
            case Verdict.Missed missed -> missed(missed.miss());
            case Taken taken -> taken(taken, result.handling().orElseThrow());
        }
        others();
    }

    private void missed(Miss miss) {
        part("answer", List.of(show.red(miss.status() + ": " + miss.sentence())));
    }

    private void taken(Taken taken, Handling handling) {
        part(
                "host",
                List.of(taken.host().name().equals("*") ? "any" : taken.host().name()));
        part(
                "route",
                List.of(show.bold(ExplainResult.words(taken.route())) + "  "
                        + show.faint(result.place(taken.route()).toString())));
        part("because", ExplainText.conditions(taken.route()));
        part("filters", ExplainText.filters(handling));
        part("answer", ExplainText.outcome(handling));
        if (handling.answer(Draw.LOWEST) instanceof Answer.Forwarded) {
            part(
                    "cache",
                    handling.cacheDecision()
                            .map(ExplainText::cache)
                            .orElse(List.of("no: every request goes to the backend")));
        }
    }

    private void others() {
        List<Other> others = result.explanation().others();
        if (others.isEmpty()) {
            return;
        }
        show.line("");
        show.line("not");
        others.stream()
                .limit(mostOthers)
                .forEach(other ->
                        show.line("  " + ExplainResult.words(other.route()) + ": " + Reasons.of(other, result.taken())
                                + "  " + show.faint(result.place(other.route()).toString())));
        if (others.size() > mostOthers) {
            show.line("  … and " + (others.size() - mostOthers) + " more; --all lists them");
        }
    }

    private void part(String name, List<String> lines) {
        String label = name;
        for (String line : lines) {
            show.line(show.faint(label + " ".repeat(INDENT - label.length())) + line);
            label = "";
        }
    }
}
