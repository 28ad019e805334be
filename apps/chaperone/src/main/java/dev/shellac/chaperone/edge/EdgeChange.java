package dev.shellac.chaperone.edge;

import dev.shellac.model.Secret;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;

/**
 * What has to be done to go from one candidate to the next.
 *
 * @param kind of the change
 * @param certificates whose content differs
 */
record EdgeChange(Kind kind, List<String> certificates) {
    /** What HAProxy's runtime socket takes in one command, the command included. */
    private static final int MOST_BYTES = 15_000;

    private static final Secret NOTHING = Secret.of(new byte[0]);

    enum Kind {
        /** Certificates alone: the process that runs can take them. */
        CERTIFICATES,
        /** Certificates alone, of which one is too large for the process that runs. */
        LARGE_CERTIFICATE,
        /** Ports, options, names or authorities. A process that runs would keep sessions that the authorities before have let in. */
        NEW_PROCESS,
        /** Clients that were let in are not any more: an authority was taken back, or a port asks for certificates that did not. */
        REVOCATION
    }

    EdgeChange {
        certificates = List.copyOf(certificates);
    }

    static EdgeChange between(HaproxyRelease now, HaproxyRelease next) {
        if (ClientAuthorities.of(now).isNarrowedBy(ClientAuthorities.of(next))) {
            return new EdgeChange(Kind.REVOCATION, List.of());
        }
        if (!now.config().equals(next.config())
                || !now.files().keySet().equals(next.files().keySet())) {
            return new EdgeChange(Kind.NEW_PROCESS, List.of());
        }
        List<String> changed = next.files().keySet().stream()
                .filter(name -> !content(next, name).equals(content(now, name)))
                .toList();
        if (changed.stream().allMatch(name -> name.endsWith(HaproxyRelease.PEM) && fits(content(next, name)))) {
            return new EdgeChange(Kind.CERTIFICATES, changed);
        }
        // A list of names or an added authority does not wait for 30 s.
        boolean isUrgent = changed.stream().anyMatch(name -> !name.endsWith(HaproxyRelease.PEM));
        return new EdgeChange(isUrgent ? Kind.NEW_PROCESS : Kind.LARGE_CERTIFICATE, List.of());
    }

    /** What a process that runs can take of the next: the rest waits for a new process. */
    static HaproxyRelease meanwhile(HaproxyRelease now, HaproxyRelease next) {
        var files = new TreeMap<>(now.files());
        files.replaceAll((name, before) -> {
            Secret after = next.files().getOrDefault(name, before);
            return name.endsWith(HaproxyRelease.PEM) && fits(after) ? after : before;
        });
        return new HaproxyRelease(now.config(), files);
    }

    static Secret content(HaproxyRelease release, String name) {
        return release.files().getOrDefault(name, NOTHING);
    }

    private static boolean fits(Secret pem) {
        return pem.<Integer>reveal(bytes -> bytes.length) <= MOST_BYTES;
    }

    /** The same with what was good before in place of what is bad, or without it. */
    static HaproxyRelease mended(HaproxyRelease asked, Collection<String> bad, HaproxyRelease before) {
        if (bad.isEmpty()) {
            return asked;
        }
        var files = new TreeMap<>(asked.files());
        List<String> lost =
                bad.stream().filter(name -> !before.files().containsKey(name)).toList();
        bad.stream().filter(before.files()::containsKey).forEach(name -> files.put(name, content(before, name)));
        var mended = new HaproxyRelease(asked.config(), files);
        return lost.isEmpty() ? mended : mended.without(lost);
    }
}
