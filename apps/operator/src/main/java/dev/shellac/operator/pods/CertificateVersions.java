package dev.shellac.operator.pods;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Which certificates of a Gateway a pod serves with. A pod says one hash for all of them; here it is known which set that is, and since which set each
 * certificate is the one that is wanted. A certificate that replaces one that is served has a minute to reach every pod. For one thread.
 */
public final class CertificateVersions {
    /** How long a pod may serve with a certificate that was replaced. */
    public static final Duration SERVED_WITHIN = Duration.ofSeconds(60);

    private static final int MOST_SETS = 256;
    private static final long NOTHING = -1;

    /**
     * A file as it is wanted.
     *
     * @param first number of the first set that had a file of that name
     * @param number of the first set that had this one
     */
    private record Version(String hash, long first, long number, Instant since) {
        Instant deadline() {
            return since.plus(SERVED_WITHIN);
        }
    }

    private final Map<String, Long> sets = new LinkedHashMap<>();
    private final Map<String, Version> versions = new HashMap<>();
    private Optional<String> newest = Optional.empty();
    private Instant looked = Instant.EPOCH;
    private long number;

    /** From now on pods are to have these. */
    public void want(CertificateSet set, Instant now) {
        if (newest.equals(Optional.of(set.hash()))) {
            return;
        }
        // A process that is new does not know what was wanted before: all of it may have been served for long.
        boolean isFirst = newest.isEmpty();
        newest = Optional.of(set.hash());
        number++;
        sets.remove(set.hash());
        sets.put(set.hash(), number);
        if (sets.size() > MOST_SETS) {
            sets.remove(sets.keySet().iterator().next());
        }
        versions.keySet().retainAll(set.files().keySet());
        set.files().forEach((file, hash) -> {
            Version before = versions.get(file);
            if (before == null) {
                versions.put(file, new Version(hash, isFirst ? 0 : number, number, now));
            } else if (!before.hash().equals(hash)) {
                versions.put(file, new Version(hash, before.first(), number, now));
            }
        });
    }

    private long level(PodState state) {
        return state.certificates()
                .map(hash -> hash.isEmpty() ? NOTHING : sets.getOrDefault(hash, 0L))
                .orElse(number); // a pod of an earlier release does not say
    }

    /** Whether a pod serves with another set than the newest. */
    public boolean isBehind(PodState state) {
        return level(state) < number;
    }

    /** The files that a pod does not serve with and should, and why. */
    SortedMap<String, String> late(PodState state, Instant now) {
        long level = level(state);
        var late = new TreeMap<String, String>();
        if (level < number) {
            versions.forEach((file, version) -> {
                if (level < version.first()) {
                    late.put(file, "does not serve with it yet");
                } else if (level < version.number() && !now.isBefore(version.deadline())) {
                    late.put(file, "has served with an older one for more than " + SERVED_WITHIN.toSeconds() + " s");
                }
            });
        }
        return late;
    }

    /** Why a pod is behind for longer than it may be, though it serves with some certificates. */
    Optional<String> overdue(PodState state, Instant now) {
        long level = level(state);
        return versions.values().stream()
                        .anyMatch(version -> level < version.number() && !now.isBefore(version.deadline()))
                ? Optional.of("has not taken certificates for more than " + SERVED_WITHIN.toSeconds() + " s")
                : Optional.empty();
    }

    /** Whether a file has had its time since this was last asked. */
    public boolean hasExpired(Instant now) {
        Instant before = looked;
        looked = now;
        return versions.values().stream()
                .map(Version::deadline)
                .anyMatch(deadline -> deadline.isAfter(before) && !deadline.isAfter(now));
    }

    /** When the first file that was replaced or added has had its time, after this moment. */
    public Optional<Instant> due(Instant now) {
        return versions.values().stream()
                .map(Version::deadline)
                .filter(now::isBefore)
                .min(Instant::compareTo);
    }
}
