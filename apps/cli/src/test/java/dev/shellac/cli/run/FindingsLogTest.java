package dev.shellac.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.cli.analysis.Problem;
import dev.shellac.decode.Finding.Severity;
import dev.shellac.decode.tree.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class FindingsLogTest {
    private static final Logger LOGGER = Logger.getLogger(FindingsLog.class.getName());

    private final List<String> lines = new ArrayList<>();
    private final FindingsLog log = new FindingsLog();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            lines.add(line.getLevel() + " " + new SimpleFormatter().formatMessage(line));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        LOGGER.addHandler(handler);
        LOGGER.setUseParentHandlers(false);
    }

    @AfterEach
    void stop() {
        LOGGER.removeHandler(handler);
        LOGGER.setUseParentHandlers(true);
    }

    @Test
    void eachLineIsLoggedOnceWhenItAppearsAndOnceWhenItIsSolved() {
        Problem bad = problem(Severity.ERROR, 3, "", "unknown field");
        Problem odd = problem(Severity.WARNING, 9, "", "is empty");
        log.update(List.of(bad));
        log.update(List.of(bad, odd));
        // The same, further down.
        log.update(List.of(problem(Severity.ERROR, 30, "", "unknown field"), odd));
        log.update(List.of(odd));
        log.update(List.of());
        assertThat(lines)
                .containsExactly(
                        "SEVERE a.yaml:3: HTTPRoute default/a: spec: unknown field",
                        "WARNING a.yaml:9: warning: HTTPRoute default/a: spec: is empty",
                        "INFO solved: a.yaml:30: HTTPRoute default/a: spec: unknown field",
                        "INFO solved: a.yaml:9: warning: HTTPRoute default/a: spec: is empty");
    }

    @Test
    void whatIsOnItsWayIsNoError() {
        log.update(List.of(problem(Severity.ERROR, 1, "Pending", "varnishd ended")));
        assertThat(lines).containsExactly("INFO a.yaml:1: HTTPRoute default/a: spec: Pending: varnishd ended");
    }

    @Test
    void twoPlacesWithTheSameFaultAreTwoLines() {
        Problem one = problem(Severity.ERROR, 3, "", "unknown field");
        Problem other = problem(Severity.ERROR, 9, "", "unknown field");
        log.update(List.of(one, other));
        log.update(List.of(one));
        assertThat(lines).hasSize(3);
        assertThat(lines.getLast()).startsWith("INFO solved: ");
    }

    private static Problem problem(Severity severity, int line, String reason, String message) {
        return new Problem(severity, new Position("a.yaml", line), "HTTPRoute default/a", "spec", reason, message);
    }
}
