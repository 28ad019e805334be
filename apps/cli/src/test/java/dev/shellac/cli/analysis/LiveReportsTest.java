package dev.shellac.cli.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.cli.analysis.StatusReport.ListenerRow;
import dev.shellac.cli.analysis.StatusReport.RouteRow;
import dev.shellac.decode.Finding.Severity;
import dev.shellac.decode.tree.Position;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LiveReportsTest {
    private static final RunState STATE = new RunState(
            Optional.of(List.of("default/gw")),
            new StatusReport(
                    List.of(new ListenerRow("default/gw", "http", "HTTP", 80, "*", 1, "serving")),
                    List.of(new RouteRow("shop/cart", "a.example.com", "default/gw", 2, "serving"))),
            List.of(new Problem(
                    Severity.WARNING,
                    new Position("a.yaml", 3),
                    "HTTPRoute shop/cart",
                    "parent Gateway default/gw",
                    "UnsupportedValue",
                    "too \"large\"")));

    @TempDir
    private Path state;

    @Test
    void nothingIsServedWithoutAStateFolder() {
        assertThat(LiveReports.in(state.resolve("none")).state()).isEmpty();
        assertThat(LiveReports.in(state.resolve("none")).isServed()).isFalse();
    }

    @Test
    void whatAKilledRunLeftDoesNotCount() throws IOException {
        Files.writeString(state.resolve(LiveReports.FILE), STATE.print());
        Files.writeString(state.resolve("lock"), "");
        assertThat(LiveReports.in(state).state()).isEmpty();
    }

    @Test
    void whatARunningOneReportsIsRead() throws IOException, InterruptedException {
        // A lock counts between processes only.
        Process holder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        LockHolder.class.getName(),
                        state.resolve("lock").toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (var said = new InputStreamReader(holder.getInputStream(), StandardCharsets.UTF_8)) {
            assertThat(said.read()).isEqualTo('l');
            assertThat(LiveReports.in(state).isServed()).isTrue();
            assertThat(LiveReports.in(state).state()).isEmpty();
            Files.writeString(state.resolve(LiveReports.FILE), STATE.print());
            assertThat(LiveReports.in(state).state()).contains(STATE);
        } finally {
            holder.destroy();
            holder.waitFor();
        }
    }
}
