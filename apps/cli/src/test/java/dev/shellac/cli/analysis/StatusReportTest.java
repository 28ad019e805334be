package dev.shellac.cli.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.cli.analysis.StatusReport.ListenerRow;
import dev.shellac.cli.analysis.StatusReport.RouteRow;
import dev.shellac.cli.folder.Folder;
import dev.shellac.cli.folder.Reading;
import dev.shellac.model.DataPlane;
import dev.shellac.model.Name;
import dev.shellac.model.Port;
import dev.shellac.model.status.Address;
import dev.shellac.translate.Outcome;
import dev.shellac.translate.Settings;
import dev.shellac.translate.Translator;
import dev.shellac.translate.plan.GatewayPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Serving is said of what serves, and of all that does. */
final class StatusReportTest {
    private static final Name GATEWAY = new Name("default", "web");
    private static final List<Address> HERE = List.of(new Address("IPAddress", "127.0.0.1"));
    private static final String LAST = "serving, as it last was: a change is pending";

    @TempDir
    private Path folder;

    @BeforeEach
    void write() throws IOException {
        Files.writeString(folder.resolve("gateway.yaml"), """
                apiVersion: gateway.networking.k8s.io/v1
                kind: GatewayClass
                metadata: {name: shellac}
                spec: {controllerName: varnish-software.com/gateway}
                ---
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: web}
                spec:
                  gatewayClassName: shellac
                  listeners:
                  - {name: open, protocol: HTTP, port: 8080}
                  - {name: taken, protocol: HTTP, port: 8081, hostname: "*.example.org"}
                """);
    }

    private void route(String name, String parent, String host) throws IOException {
        Files.writeString(folder.resolve(name + ".yaml"), """
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: %s}
                spec:
                  parentRefs: [%s]
                  hostnames: [%s]
                  rules: [{filters: [{type: RequestRedirect, requestRedirect: {scheme: https}}]}]
                """.formatted(name, parent, host));
    }

    private static DataPlane report(
            List<Address> addresses, Map<Port, String> closed, Optional<String> vclFault, Optional<String> pending) {
        return new DataPlane(addresses, Map.of(), closed, List.of(), vclFault, pending);
    }

    private Optional<GatewayPlan> plan() {
        return Optional.ofNullable(FolderAnalysis.of(folder).outcome().plans().get(GATEWAY));
    }

    private RunState run(DataPlane report, Optional<GatewayPlan> live) {
        Reading reading = Folder.at(folder, InstantSource.system()).read();
        Outcome outcome =
                new Translator(Settings.onHost()).translate(reading.snapshot().reported(Map.of(GATEWAY, report)));
        return RunState.of(new FolderAnalysis(
                folder, reading, outcome, Optional.of(Map.of(GATEWAY, new RunningGateway(report, live)))));
    }

    private static Map<String, String> routes(RunState state) {
        return state.report().routes().stream().collect(Collectors.toMap(RouteRow::route, RouteRow::state));
    }

    private static Map<String, String> listeners(RunState state) {
        return state.report().listeners().stream().collect(Collectors.toMap(ListenerRow::listener, ListenerRow::state));
    }

    @Test
    void aRouteServesIfOneOfItsListenersDoes() throws IOException {
        route("both", "{name: web}", "a.example.org");
        route("by-name", "{name: web, sectionName: taken}", "b.example.org");
        route("by-port", "{name: web, port: 8081}", "c.example.org");
        route("other", "{name: web, sectionName: open}", "d.example.org");
        DataPlane closed = report(HERE, Map.of(new Port(8081), "in use"), Optional.empty(), Optional.empty());
        RunState state = run(closed, plan());
        assertThat(state.running()).contains(List.of("default/web"));
        assertThat(listeners(state)).isEqualTo(Map.of("open", "serving", "taken", "PortUnavailable"));
        assertThat(routes(state))
                .isEqualTo(Map.of(
                        "default/both", "serving",
                        "default/by-name", "PortUnavailable",
                        "default/by-port", "PortUnavailable",
                        "default/other", "serving"));
    }

    /** It names no listener, and the only one that has its host is closed. */
    @Test
    void aRouteIsAttachedWhereItsHostIs() throws IOException {
        Files.writeString(
                folder.resolve("gateway.yaml"),
                Files.readString(folder.resolve("gateway.yaml"))
                        .replace("{name: open,", "{name: open, hostname: \"*.example.com\","));
        route("a", "{name: web}", "a.example.org");
        route("b", "{name: web}", "a.example.com");
        DataPlane closed = report(HERE, Map.of(new Port(8081), "in use"), Optional.empty(), Optional.empty());
        assertThat(routes(run(closed, plan())))
                .isEqualTo(Map.of("default/a", "PortUnavailable", "default/b", "serving"));
    }

    @Test
    void whatIsLiveServesWhileAChangeIsPending() throws IOException {
        route("old", "{name: web}", "a.example.org");
        Optional<GatewayPlan> before = plan();
        route("new", "{name: web}", "b.example.org");
        Files.writeString(
                folder.resolve("gateway.yaml"),
                Files.readString(folder.resolve("gateway.yaml"))
                        + "  - {name: more, protocol: HTTP, port: 8080, hostname: a.example.com}\n");
        route("newer", "{name: web, sectionName: more}", "a.example.com");
        DataPlane pending = report(HERE, Map.of(), Optional.empty(), Optional.of("the router refuses the table"));
        RunState state = run(pending, before);
        assertThat(state.running()).contains(List.of("default/web"));
        assertThat(listeners(state)).isEqualTo(Map.of("open", LAST, "taken", LAST, "more", "Pending"));
        assertThat(routes(state))
                .isEqualTo(Map.of("default/old", LAST, "default/new", "Pending", "default/newer", "Pending"));
        assertThat(state.problems()).anyMatch(problem -> problem.message().equals("the router refuses the table"));
    }

    @Test
    void aRefusedVclLeavesTheLastGoodOne() throws IOException {
        route("a", "{name: web}", "a.example.org");
        DataPlane refused = report(HERE, Map.of(), Optional.of("no"), Optional.empty());
        RunState state = run(refused, plan());
        assertThat(state.running()).contains(List.of("default/web"));
        assertThat(routes(state)).containsValues("serving, with the last good VCL");
        assertThat(listeners(state)).containsEntry("open", "serving, with the last good VCL");
    }

    @Test
    void nothingServesWithoutAVarnishd() throws IOException {
        route("a", "{name: web}", "a.example.org");
        DataPlane down = report(List.of(), Map.of(), Optional.empty(), Optional.of("varnishd ended"));
        for (Optional<GatewayPlan> live : List.of(plan(), Optional.<GatewayPlan>empty())) {
            RunState state = run(down, live);
            assertThat(state.running()).contains(List.of());
            assertThat(routes(state)).isEqualTo(Map.of("default/a", "Pending"));
            assertThat(listeners(state)).isEqualTo(Map.of("open", "Pending", "taken", "Pending"));
        }
    }
}
