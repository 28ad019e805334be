package dev.shellac.translate.attach;

import dev.shellac.model.gateway.ListenerSet;
import dev.shellac.translate.resolve.Reason;
import dev.shellac.translate.resolve.Refusal;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How many listeners ListenerSets may bring to one Gateway. Every pod has all listeners in memory and in the head of its table, which has to fit
 * beside the routes, and all are compared with each other. A set that does not fit is refused as a whole; older sets come first. The last part is for namespaces
 * that bring few, so that two that bring all they may do not push out everybody else.
 */
final class ListenerLimit {
    /** All of them, whoever brings them. */
    static final int MOST = 2_048;

    /** Those of one namespace other than the Gateway's. */
    static final int MOST_OF_A_NAMESPACE = 1_024;

    /** Room that is left to namespaces of few listeners. */
    static final int RESERVE = 512;

    /** What counts as few. */
    static final int FEW = 64;

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
        boolean isFew = namespace.equals(home) || there + more <= FEW;
        if (all + more > (isFew ? MOST : MOST - RESERVE)) {
            return refused("ListenerSets bring " + all + " listeners to this Gateway, and " + more
                    + " more would be beyond the " + (isFew ? MOST : MOST - RESERVE) + " of all namespaces"
                    + (isFew ? "" : " that bring more than " + FEW));
        }
        admitted.put(namespace, there + more);
        all += more;
        return Optional.empty();
    }

    private static Optional<Refusal> refused(String why) {
        return Optional.of(new Refusal(Reason.NOT_ALLOWED, why + "; use another Gateway for them"));
    }
}
