package dev.shellac.cli.site;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.DataPlane;
import dev.shellac.model.DataPlane.TableRefusal;
import dev.shellac.model.Name;
import dev.shellac.model.Port;
import dev.shellac.model.status.Address;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LiveReportsTest {
    private static final String REPORTS = """
            {"default/gw": {
              "addresses": [{"type": "IPAddress", "value": "10.0.0.1"}],
              "unusableAddresses": {"10.0.0.2": "not of this host"},
              "unavailablePorts": {"80": "in use by nginx"},
              "refusals": [{"route": "shop/cart", "rule": 1, "match": 2, "message": "too large"}],
              "vclFault": "line 3"}}
            """;

    @TempDir
    private Path state;

    @Test
    void nothingIsServedWithoutAStateFolder() {
        assertThat(LiveReports.in(state.resolve("none")).reports()).isEmpty();
    }

    @Test
    void whatAKilledRunLeftDoesNotCount() throws IOException {
        Files.writeString(state.resolve("reports.json"), REPORTS);
        Files.writeString(state.resolve("lock"), "");
        assertThat(LiveReports.in(state).reports()).isEmpty();
    }

    @Test
    void whatARunningOneReportsIsRead() throws IOException, InterruptedException {
        Files.writeString(state.resolve("reports.json"), REPORTS);
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
            assertThat(LiveReports.in(state).reports())
                    .isEqualTo(Map.of(
                            new Name("default", "gw"),
                            new DataPlane(
                                    List.of(new Address("IPAddress", "10.0.0.1")),
                                    Map.of("10.0.0.2", "not of this host"),
                                    Map.of(new Port(80), "in use by nginx"),
                                    List.of(new TableRefusal(new Name("shop", "cart"), 1, 2, "too large")),
                                    Optional.of("line 3"))));
        } finally {
            holder.destroy();
            holder.waitFor();
        }
    }
}
