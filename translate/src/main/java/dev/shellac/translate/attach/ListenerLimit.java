package dev.shellac.translate.attach;

import dev.shellac.model.gateway.ListenerSet;
import dev.shellac.translate.resolve.Reason;
import dev.shellac.translate.resolve.Refusal;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How many listeners ListenerSets may bring to one Gateway. Every pod has all listeners in memory and in the head of its table, which has to fit
 * beside the routes, and all are compared with each other. A set that does not fit is refused as a whole; older sets come first.
 */
final class ListenerLimit {
    /** All of them, whoever brings them. */
    static final int MOST = 2_048;

    /** Those of one namespace other than the Gateway's. */
    static final int MOST_OF_A_NAMESPACE = 1_024;

    private final String home;
    private final Map<String, Integer> admitted = new HashMap<>();
    private int all;

    ListenerLimit(String home) {
        this.home = home;
    }

    /** Why the next set has no room. One that has room takes it. */
    Optional<Refusal> refusal(ListenerSet set) {
        String namespace = set.meta().name().namespace();
        int more = set.listeners().size();
        int there = admitted.getOrDefault(namespace, 0);
        if (!namespace.equals(home) && there + more > MOST_OF_A_NAMESPACE) {
            return refused(
                    "ListenerSets of namespace " + namespace + " bring " + there + " listeners to this Gateway, and "
                            + more + " more would be beyond the " + MOST_OF_A_NAMESPACE + " of one namespace");
        }
        if (all + more > MOST) {
            return refused("ListenerSets bring " + all + " listeners to this Gateway, and " + more
                    + " more would be beyond the " + MOST + " of all namespaces");
        }
        admitted.put(namespace, there + more);
        all += more;
        return Optional.empty();
    }

    private static Optional<Refusal> refused(String why) {
        return Optional.of(new Refusal(Reason.NOT_ALLOWED, why + "; use another Gateway for them"));
    }
}
