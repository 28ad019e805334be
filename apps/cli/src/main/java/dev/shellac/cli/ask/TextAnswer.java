package dev.shellac.cli.ask;

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
public record TextAnswer(Told told, Show show, int mostOthers) {
    private static final int INDENT = 10;

    public void print() {
        told.explanation()
                .listener()
                .ifPresent(listener -> part(
                        "listener",
                        List.of(listener.key() + ", " + listener.scheme() + " on port "
                                + listener.port().map(String::valueOf).orElse("?"))));
        switch (told.explanation().verdict()) {
            case Verdict.Missed missed -> missed(missed.miss());
            case Taken taken -> taken(taken, told.handling().orElseThrow());
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
                List.of(show.bold(Told.words(taken.route())) + "  "
                        + show.faint(told.place(taken.route()).toString())));
        part("because", Words.conditions(taken.route()));
        part("filters", Words.filters(handling));
        part("answer", Words.outcome(handling));
        if (handling.answer(Draw.LOWEST) instanceof Answer.Forwarded) {
            part(
                    "cache",
                    handling.cacheDecision()
                            .map(Words::cache)
                            .orElse(List.of("no: every request goes to the backend")));
        }
    }

    private void others() {
        List<Other> others = told.explanation().others();
        if (others.isEmpty()) {
            return;
        }
        show.line("");
        show.line("not");
        others.stream()
                .limit(mostOthers)
                .forEach(other -> show.line("  " + Told.words(other.route()) + ": " + Reasons.of(other, told.taken())
                        + "  " + show.faint(told.place(other.route()).toString())));
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
