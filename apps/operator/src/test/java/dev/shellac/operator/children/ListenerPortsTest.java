package dev.shellac.operator.children;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.Port;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class ListenerPortsTest {
    @Test
    void portsTakePlacesInTheirOrder() {
        ListenerPorts ports = ListenerPorts.NONE.assign(ports(8080, 80), ports(443));
        assertThat(targets(ports)).hasToString("{80=10000, 443=10100, 8080=10001}");
        assertThat(ports.served().ports()).hasToString("{edge=[443], pool-0=[80], pool-1=[8080]}");
    }

    @Test
    void aPortKeepsItsPlaceWhenOthersGo() {
        ListenerPorts before = ListenerPorts.NONE.assign(ports(80, 81, 82), ports());
        assertThat(targets(before.assign(ports(82), ports()))).hasToString("{82=10002}");
    }

    @Test
    void aFreedPlaceIsTakenLast() {
        ListenerPorts freed = ListenerPorts.NONE.assign(ports(80, 81), ports()).assign(ports(81), ports());
        ListenerPorts next = freed.assign(ports(81, 82), ports());
        assertThat(targets(next)).hasToString("{81=10001, 82=10002}");
        Set<Port> full = IntStream.range(81, 97).mapToObj(Port::new).collect(Collectors.toSet());
        assertThat(targets(next.assign(full, ports()))).containsValue(10_000);
    }

    @Test
    void theSeventeenthPortGetsALargerPool() {
        Set<Port> sixteen = IntStream.range(1, 17).mapToObj(Port::new).collect(Collectors.toSet());
        ListenerPorts before = ListenerPorts.NONE.assign(sixteen, ports());
        assertThat(before.listen("http")).contains("pool-15=:10015,http").doesNotContain("pool-16");
        var more = new HashSet<>(sixteen);
        more.add(new Port(99));
        ListenerPorts after = before.assign(more, ports());
        assertThat(after.listen("http")).contains("pool-16=:10016,http", "pool-31=:10031,http");
        ListenerPorts less = after.assign(sixteen, ports());
        assertThat(less.listen("http"))
                .as("a pool does not shrink: that would restart pods for nothing")
                .isEqualTo(after.listen("http"));
    }

    @Test
    void aPortThatTurnsIntoHttpsGoesToTheEdge() {
        ListenerPorts before = ListenerPorts.NONE.assign(ports(80, 8443), ports());
        assertThat(targets(before.assign(ports(80), ports(8443)))).hasToString("{80=10000, 8443=10100}");
    }

    @Test
    void asManyPortsAsAGatewayMayHaveStayClearOfTheEdges() {
        Set<Port> many = IntStream.rangeClosed(1, 64).mapToObj(Port::new).collect(Collectors.toSet());
        ListenerPorts ports = ListenerPorts.NONE.assign(many, ports(8443));
        assertThat(targets(ports).values()).doesNotHaveDuplicates().hasSize(65);
        assertThat(readBack(ports)).isEqualTo(ports);
        assertThat(ports.count()).as("with the edge's").isEqualTo(65);
    }

    @Test
    void noAnnotationMakesPodsListenOnMoreSocketsThanThereArePorts() {
        ListenerPorts ports = ListenerPorts.read(
                Set.of(new ListenerPorts.Mapped("http-80", new Port(80), new Port(11_500))),
                Map.of(Labels.SOCKET_POOL, "9999", Labels.FREED_SOCKETS, "pool-3 pool-9000"));
        assertThat(ports.count()).isEqualTo(65);
        assertThat(targets(ports.assign(ports(80), ports()))).hasToString("{80=10000}");
    }

    /** Whatever happened before, and whether or not the operator was started anew in between. */
    @Test
    void assignmentsAreStableAndReadBack() {
        for (long seed = 0; seed < 200; seed++) {
            var random = new Random(seed);
            ListenerPorts ports = ListenerPorts.NONE;
            for (int i = 0; i < 30; i++) {
                ListenerPorts next = ports.assign(some(random, 0), some(random, 100));
                Map<Port, Integer> before = targets(ports);
                targets(next).forEach((port, target) -> {
                    Integer old = before.get(port);
                    assertThat(target).as("port %s", port).isEqualTo(old == null ? target : old);
                });
                assertThat(targets(next).values()).doesNotHaveDuplicates();
                assertThat(readBack(next)).isEqualTo(next);
                ports = random.nextBoolean() ? next : readBack(next);
            }
        }
    }

    @Test
    void whatOthersWroteIntoTheServiceIsNoAssignment() {
        var foreign = new ListenerPorts.Mapped("http", new Port(80), new Port(8080));
        assertThat(ListenerPorts.read(Set.of(foreign), new TreeMap<>())).isEqualTo(ListenerPorts.NONE);
    }

    private static ListenerPorts readBack(ListenerPorts ports) {
        return ListenerPorts.read(ports.mapped(), ports.annotations());
    }

    private static Map<Port, Integer> targets(ListenerPorts ports) {
        var targets = new TreeMap<Port, Integer>();
        ports.mapped()
                .forEach(mapped -> targets.put(mapped.port(), mapped.target().value()));
        return targets;
    }

    private static Set<Port> some(Random random, int from) {
        return IntStream.range(0, random.nextInt(24))
                .mapToObj(i -> new Port(1 + from + random.nextInt(30)))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<Port> ports(int... numbers) {
        return IntStream.of(numbers).mapToObj(Port::new).collect(Collectors.toSet());
    }
}
