package dev.shellac.chaperone.edge;

import dev.shellac.varnishconfig.edge.HaproxyConfig.Bounds;
import java.io.IOException;
import java.util.Optional;

/** The connections that the newest process may have: those of processes that leave count against it. */
final class SharedConnections {
    private final Haproxy program;
    private long most;

    SharedConnections(Haproxy program) {
        this.program = program;
    }

    /** A process was started, and has as many as its configuration says. */
    void reset() {
        most = 0;
    }

    void share(Optional<LiveRelease> live, long memoryOfLeaving) throws IOException {
        if (live.isEmpty()) {
            return;
        }
        EdgeBudget budget = EdgeBudget.of(live.get().used().config());
        long next = budget.connectionsBeside(memoryOfLeaving);
        long was = most == 0 ? budget.connections() : most;
        if (next != was) {
            set(program, next);
        }
        most = next;
    }

    /** With the number beyond which they are scarce. */
    static void set(Haproxy program, long connections) throws IOException {
        program.ask("set maxconn global " + connections);
        // HAProxy 3.0 changes variables in experimental mode alone.
        program.ask("experimental-mode on; set var proc.scarce expr int(" + Bounds.scarce(connections) + ")");
    }
}
