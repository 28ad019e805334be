package dev.shellac.chaperone.edge;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.chaperone.edge.EdgeChange.Kind;
import dev.shellac.model.Secret;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which process gives way to a new one, in 32 MiB. */
final class ProcessRoomTest {
    private static final int MEBI = 1 << 20;

    private final LeavingProcesses leaving = new LeavingProcesses();
    private final StubHaproxy program = new StubHaproxy();
    private final ProcessRoom room = new ProcessRoom(program, leaving);

    @Test
    void twoThatFitAreTwo() throws Exception {
        var serving = new StubProcess(20 * MEBI);
        assertThat(room.make(with(0), Kind.NEW_PROCESS, serving)).isEmpty();
        assertThat(serving.isAlive()).isTrue();
    }

    @Test
    void certificatesCount() throws Exception {
        var serving = new StubProcess(10 * MEBI);
        assertThat(room.make(with(300), Kind.NEW_PROCESS, serving)).isEmpty();
        assertThat(room.make(with(1000), Kind.NEW_PROCESS, serving))
                .contains(
                        "waits until HAProxy takes less memory, for an hour at most: it takes 10 MiB of its 32 MiB,"
                                + " and a new process with 1000 certificates takes 43; a larger memory limit has room for both");
        assertThat(serving.isAlive()).isTrue();
    }

    @Test
    void aChangeWaitsForThoseThatLeave() throws Exception {
        var old = new StubProcess(8 * MEBI);
        leaving.add(old);
        var serving = new StubProcess(16 * MEBI);
        assertThat(room.make(with(0), Kind.NEW_PROCESS, serving).orElse(""))
                .startsWith("waits until connections of 1 earlier HAProxy processes end, or are an hour old");
        assertThat(old.isAlive()).isTrue();
    }

    @Test
    void aRevokedAuthorityWaitsForNobody() throws Exception {
        var oldest = new StubProcess(10 * MEBI);
        var old = new StubProcess(4 * MEBI);
        leaving.add(oldest);
        leaving.add(old);
        var serving = new StubProcess(16 * MEBI);
        assertThat(room.make(with(0), Kind.REVOCATION, serving)).isEmpty();
        assertThat(oldest.isAlive()).isFalse();
        assertThat(old.isAlive()).as("as many as are needed").isTrue();
        assertThat(serving.isAlive()).isTrue();
    }

    @Test
    void withARevokedAuthorityTheOneThatServesGivesWayLast() throws Exception {
        var old = new StubProcess(4 * MEBI);
        leaving.add(old);
        var serving = new StubProcess(24 * MEBI);
        program.inFlight.addAll(List.of("3", "1"));
        assertThat(room.make(with(0), Kind.REVOCATION, serving)).isEmpty();
        assertThat(old.isAlive()).isFalse();
        assertThat(program.asked).contains("set maxconn global 1");
        assertThat(program.inFlight).as("its requests end first").isEmpty();
        assertThat(serving.isAlive()).isFalse();
    }

    @Test
    void whatItCostsIsKnownBeforehand() {
        assertThat(room.costsAnother(with(0), Kind.REVOCATION, new StubProcess(20 * MEBI)))
                .as("there is room")
                .isFalse();
        var old = new StubProcess(8 * MEBI);
        leaving.add(old);
        var serving = new StubProcess(16 * MEBI);
        assertThat(room.costsAnother(with(0), Kind.NEW_PROCESS, serving))
                .as("it waits")
                .isFalse();
        assertThat(room.costsAnother(with(0), Kind.REVOCATION, serving)).isTrue();
        assertThat(old.isAlive()).isTrue();
        assertThat(serving.isAlive()).isTrue();
    }

    private static HaproxyRelease with(int certificates) {
        String list = IntStream.range(0, certificates)
                .mapToObj(i -> "c%d.pem c%d.example.com\n".formatted(i, i))
                .collect(Collectors.joining());
        Map<String, Secret> files = new HashMap<>(Map.of("port-443.list", Secret.of(list.getBytes(UTF_8))));
        for (int i = 0; i < certificates; i++) {
            files.put("c" + i + ".pem", Secret.of("c".getBytes(UTF_8)));
        }
        return new HaproxyRelease("global\n    presetenv EDGE_MEMORY 33554432\n    maxconn 472\n", files);
    }

    private static final class StubProcess implements Haproxy.Running {
        private final long memory;
        private boolean isAlive = true;

        StubProcess(long memory) {
            this.memory = memory;
        }

        @Override
        public boolean isAlive() {
            return isAlive;
        }

        @Override
        public void leave() {}

        @Override
        public void stop() {
            isAlive = false;
        }

        @Override
        public long memory() {
            return memory;
        }

        @Override
        public String lastWords() {
            return "";
        }
    }

    private static final class StubHaproxy implements Haproxy {
        private final List<String> asked = new ArrayList<>();
        private final List<String> inFlight = new ArrayList<>();

        @Override
        public Optional<String> fault(Path home) {
            return Optional.empty();
        }

        @Override
        public Optional<String> certificateFault(Path home, String certificate) {
            return Optional.empty();
        }

        @Override
        public Running start(Path home, Optional<Running> before, Runnable ended) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<String> replace(Path started, String certificate, Secret pem) {
            return Optional.empty();
        }

        @Override
        public String ask(String command) {
            asked.add(command);
            return command.startsWith("show table") && !inFlight.isEmpty()
                    ? "0x55: key=1 use=1 exp=0 shard=0 conn_cur=" + inFlight.removeFirst() + "\n"
                    : "";
        }
    }
}
