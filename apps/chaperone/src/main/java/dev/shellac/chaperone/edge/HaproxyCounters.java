package dev.shellac.chaperone.edge;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Optional;

/** HAProxy's answers to {@code show info} and {@code show stat}. */
public record HaproxyCounters(String info, String frontends) {
    private static final System.Logger LOG = System.getLogger(HaproxyCounters.class.getName());

    static Optional<HaproxyCounters> read(Haproxy program) {
        try {
            return Optional.of(new HaproxyCounters(program.ask("show info"), program.ask("show stat -1 1 -1")));
        } catch (IOException e) {
            LOG.log(Level.INFO, "no counters of haproxy: {0}", e.getMessage());
            return Optional.empty();
        }
    }
}
