package dev.shellac.chaperone.edge;

import java.io.IOException;
import java.util.Optional;

/** The connections that the newest process may have: those of processes that leave count against it. */
final class SharedConnections {
    private final HaproxyCommand program;
    private long most;

    SharedConnections(HaproxyCommand program) {
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
            program.ask("set maxconn global " + next);
        }
        most = next;
    }
}
