package dev.shellac.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.Name;
import dev.shellac.model.Port;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Ports that are gone for a moment. */
final class PortGraceTest {
    private static final Name ONE = new Name("default", "one");
    private static final Name OTHER = new Name("default", "other");

    private final PortGrace grace = new PortGrace();
    private final Map<Name, SortedSet<Port>> wanted = new HashMap<>();

    @Test
    void aPortThatIsBackWithinASecondStaysOpen() {
        assertThat(at(0, ONE, 80, 81)).isEqualTo(ports(80, 81));
        assertThat(at(100, ONE, 80)).isEqualTo(ports(80, 81));
        assertThat(grace.isEmpty()).isFalse();
        assertThat(at(900, ONE, 80, 81)).isEqualTo(ports(80, 81));
        assertThat(grace.isEmpty()).isTrue();
    }

    @Test
    void aPortThatStaysAwayIsClosedAfterASecond() {
        at(0, ONE, 80, 81);
        assertThat(at(100, ONE)).isEqualTo(ports(80, 81));
        assertThat(grace.isOver(millis(1099))).isFalse();
        assertThat(grace.isOver(millis(1100))).isTrue();
        assertThat(at(1100, ONE)).isEmpty();
        assertThat(grace.isEmpty()).isTrue();
    }

    @Test
    void aChangeOfPortsIsOneStart() {
        at(0, ONE, 80);
        assertThat(at(100, ONE, 81)).isEqualTo(ports(81));
        assertThat(grace.isEmpty()).isTrue();
    }

    @Test
    void aPortThatMovesToAnotherGatewayIsGivenUp() {
        at(0, ONE, 80, 81);
        wanted.put(OTHER, ports(81));
        assertThat(at(100, ONE, 80)).isEqualTo(ports(80));
    }

    private SortedSet<Port> at(long millis, Name gateway, int... numbers) {
        wanted.put(gateway, ports(numbers));
        return grace.extend(wanted, millis(millis)).getOrDefault(gateway, new TreeSet<>());
    }

    private static SortedSet<Port> ports(int... numbers) {
        var ports = new TreeSet<Port>();
        for (int number : numbers) {
            ports.add(new Port(number));
        }
        return ports;
    }

    private static long millis(long count) {
        return Duration.ofMillis(count).toNanos();
    }
}
