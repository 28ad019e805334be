package dev.shellac.chaperone.edge;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** HAProxy's words about certificates, each of which it is asked once. */
final class CertificateVerdicts {
    private final Haproxy program;
    private final Map<String, Optional<String>> byHash = new HashMap<>();

    CertificateVerdicts(Haproxy program) {
        this.program = program;
    }

    /** Those that it does not take. */
    Map<String, String> bad(Path home, HaproxyRelease asked, Collection<String> names)
            throws IOException, InterruptedException {
        Map<String, String> hashes = asked.bundle().hashes(HaproxyRelease.PEM);
        byHash.keySet().retainAll(hashes.values());
        var bad = new TreeMap<String, String>();
        for (String name : names) {
            String hash = hashes.getOrDefault(name, name);
            if (!byHash.containsKey(hash)) {
                byHash.put(hash, program.certificateFault(home, name));
            }
            byHash.getOrDefault(hash, Optional.empty()).ifPresent(words -> bad.put(name, words));
        }
        return bad;
    }
}
