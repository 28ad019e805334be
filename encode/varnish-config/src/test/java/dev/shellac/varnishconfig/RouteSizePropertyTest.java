package dev.shellac.varnishconfig;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Hostname;
import dev.shellac.model.Name;
import dev.shellac.model.ObjectRef;
import dev.shellac.model.Port;
import dev.shellac.model.core.TargetPort;
import dev.shellac.model.persistent.PersistentList;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.model.route.BackendRef;
import dev.shellac.model.route.Match;
import dev.shellac.model.route.PathMatch;
import dev.shellac.model.route.Rule;
import dev.shellac.model.route.Timeouts;
import dev.shellac.translate.order.Precedence;
import dev.shellac.translate.plan.CompiledRoute;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.plan.HostPlan;
import dev.shellac.translate.plan.RouteCompiler;
import dev.shellac.translate.plan.RoutePlan;
import dev.shellac.translate.plan.RouteSize;
import dev.shellac.translate.plan.RouteTask;
import dev.shellac.translate.resolve.Backend;
import dev.shellac.translate.resolve.MemoryBudget;
import dev.shellac.varnishconfig.routing.RoutingJson;
import dev.shellac.varnishconfig.table.GhostJson;
import dev.shellac.varnishconfig.table.SocketMap;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What a route comes to in either file is known before it is built, and is within the bound or refused. */
final class RouteSizePropertyTest {
    private static final int ROUTES = 400;

    @Test
    void noRouteIsLargerInEitherFileThanWasComputed() {
        int built = 0;
        int refused = 0;
        double closest = 0;
        for (int seed = 0; seed < ROUTES; seed++) {
            var random = new Random(seed);
            RouteTask task =
                    RandomRoute.of(random, Math.pow(random.nextDouble(), 4)).task();
            CompiledRoute compiled = RouteCompiler.compile(task);
            Optional<Long> size = Optional.ofNullable(RouteSize.of(task).get(RandomRoute.GATEWAY));
            assertThat(size.isEmpty()).as("seed %d: refused", seed).isEqualTo(isTooLarge(compiled));
            if (size.isEmpty()) {
                assertThat(compiled.plans()).as("seed %d", seed).isEmpty();
                refused++;
                continue;
            }
            assertThat(size.get()).as("seed %d", seed).isLessThanOrEqualTo(RouteSize.MOST_BYTES);
            long routing = routing(plan(compiled)) - routing(EMPTY);
            assertThat(routing).as("seed %d: routing.json", seed).isLessThanOrEqualTo(size.get());
            assertThat(ghost(plan(compiled)) - ghost(EMPTY))
                    .as("seed %d: ghost.json", seed)
                    .isLessThanOrEqualTo(size.get());
            closest = Math.max(closest, (double) routing / size.get());
            built++;
        }
        assertThat(built).isGreaterThan(ROUTES / 5);
        assertThat(refused).isGreaterThan(ROUTES / 5);
        assertThat(closest).as("what is computed is not far from the truth").isGreaterThan(0.8);
    }

    @Test
    void theWorstThatTheCrdAllowsIsRefusedAtOnceAndNothingIsBuilt() {
        RouteTask task = RandomRoute.worst().task();
        long start = System.nanoTime();
        CompiledRoute compiled = RouteCompiler.compile(task);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
        assertThat(compiled.plans()).isEmpty();
        assertThat(compiled.refusal().orElseThrow().message())
                .contains("the route is too large: 16 hostnames x 2048 entries");
    }

    @Test
    void tenThousandPlainRoutesFitIntoThePodsOf512Mebibytes() {
        var service = new BackendRef(
                new ObjectRef(GroupKind.SERVICE, Optional.empty(), "b99"), Optional.of(new Port(80)), 1, List.of());
        var backend = new Backend.Serving(
                new Name("test-x7k2p", "b99"),
                new Port(80),
                new TargetPort.Numbered(new Port(8080)),
                Optional.empty(),
                Backend.Protocol.HTTP,
                Optional.empty());
        var everything = new Match(PathMatch.EVERYTHING, List.of(), List.of(), Optional.empty());
        var rule = new Rule(
                Optional.empty(),
                List.of(everything),
                List.of(),
                List.of(service),
                Timeouts.NONE,
                Optional.empty(),
                Optional.empty());
        var placement = new RouteTask.Placement(
                Map.of(new Hostname("r9999.example.com"), List.of("test-x7k2p/edge/web")), Optional.empty());
        var task = new RouteTask(
                new Name("test-x7k2p", "r9999"),
                Optional.empty(),
                List.of(rule),
                Map.of(service, backend),
                List.of(Optional.empty()),
                Map.of(RandomRoute.GATEWAY, placement));
        long size = RouteSize.of(task).getOrDefault(RandomRoute.GATEWAY, 0L);
        assertThat(10_000 * size)
                .isBetween(1L, MemoryBudget.of(Optional.of(512L << 20)).routing());
    }

    private static final GatewayPlan EMPTY = new GatewayPlan(
            RandomRoute.GATEWAY,
            List.of(),
            PersistentMap.<Hostname, HostPlan>empty().values(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());

    private static boolean isTooLarge(CompiledRoute compiled) {
        return compiled.refusal()
                .filter(why -> why.message().contains("too large"))
                .isPresent();
    }

    private static GatewayPlan plan(CompiledRoute compiled) {
        var hosts = new TreeMap<Hostname, HostPlan>();
        compiled.plans().getOrDefault(RandomRoute.GATEWAY, Map.of()).forEach((host, routes) -> {
            PersistentList<RoutePlan> sorted = PersistentList.of(Precedence.FIRST_TRIED_FIRST, routes);
            if (!sorted.isEmpty()) {
                hosts.put(host, new HostPlan(host, sorted));
            }
        });
        return new GatewayPlan(
                RandomRoute.GATEWAY,
                List.of(),
                PersistentMap.of(hosts).values(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    private static long routing(GatewayPlan plan) {
        return new RoutingJson().encode(plan).getBytes(UTF_8).length;
    }

    private static long ghost(GatewayPlan plan) {
        return new GhostJson().encode(plan, List.of(), SocketMap.of(Map.of())).length();
    }
}
