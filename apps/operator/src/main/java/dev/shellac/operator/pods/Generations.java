package dev.shellac.operator.pods;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which generation of a Gateway each configuration that was written for it belongs to, and so which one a pod has. A pod that serves some
 * configuration of this generation counts: a route that is on its way does not make the Gateway unprogrammed. For one thread.
 */
public final class Generations {
    // Pods are a few configurations behind at most.
    private static final int MOST = 256;

    private final Map<ConfigRevision, Long> written = new LinkedHashMap<>();
    private final Map<String, Long> live = new HashMap<>();
    private Optional<ConfigRevision> newest = Optional.empty();
    private Optional<String> fault = Optional.empty();
    private Optional<String> vclFault = Optional.empty();

    /** This was written, when the Gateway was of that generation. */
    public void wrote(ConfigRevision configuration, long generation) {
        written.remove(configuration);
        written.put(configuration, generation);
        newest = Optional.of(configuration);
        fault = Optional.empty();
        if (written.size() > MOST) {
            written.remove(written.keySet().iterator().next());
        }
    }

    /** What is asked for cannot be written. */
    public void failed(String why) {
        fault = Optional.of(why);
    }

    /** The VCL is not the one that was asked for, because of this. */
    public void vclRefused(Optional<String> why) {
        vclFault = why;
    }

    Optional<String> vclFault() {
        return vclFault;
    }

    /** Whether a pod has the VCL that it shall have: what it says about another one is over. */
    boolean hasNewestVcl(PodState state) {
        return newest.filter(wanted -> wanted.vcl().equals(state.live().vcl())).isPresent();
    }

    Optional<String> fault() {
        return fault;
    }

    Optional<ConfigRevision> newest() {
        return newest;
    }

    /** The newest generation that the pod has served; 0 before it said so. */
    long of(Pod pod, Optional<PodState> state) {
        long now = state.map(found -> written.getOrDefault(found.live(), 0L)).orElse(0L);
        long best = Math.max(now, live.getOrDefault(pod.uid(), 0L));
        if (best > 0) {
            live.put(pod.uid(), best);
        }
        return best;
    }

    /** Forgets all other pods than these, however many there are. */
    void keep(Set<String> pods) {
        live.keySet().retainAll(pods);
    }

    /** Whether this process has written any configuration. */
    public boolean hasWritten() {
        return newest.isPresent();
    }

    /** Whether this process has written no more than one configuration, and so cannot tell which generation another one is of. */
    boolean isNew() {
        return written.size() <= 1;
    }
}
