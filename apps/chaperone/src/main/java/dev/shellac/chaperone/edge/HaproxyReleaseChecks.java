package dev.shellac.chaperone.edge;

import dev.shellac.chaperone.controller.Meters;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What HAProxy says of candidates before anybody gives way to them. The last one is not asked about again. */
final class HaproxyReleaseChecks {
    private final Haproxy program;
    private final HaproxyReleaseStore store;
    private final CertificateVerdicts verdicts;
    private final Meters meters;
    private Optional<Checked> last = Optional.empty();

    /**
     * A candidate, and what HAProxy takes of it.
     *
     * @param asked as it came
     * @param before what was in use then, whose certificates stand in for those that are bad
     * @param used what HAProxy takes
     * @param leftOut certificates that are bad, and HAProxy's words
     * @param fault what is wrong with the whole
     */
    record Checked(
            HaproxyRelease asked,
            Optional<HaproxyRelease> before,
            HaproxyRelease used,
            Map<String, String> leftOut,
            Optional<String> fault) {
        Checked {
            leftOut = Map.copyOf(leftOut);
        }

        boolean isOf(HaproxyRelease release, Optional<HaproxyRelease> inUse) {
            return asked.equals(release) && before.equals(inUse);
        }
    }

    HaproxyReleaseChecks(Haproxy program, HaproxyReleaseStore store, CertificateVerdicts verdicts, Meters meters) {
        this.program = program;
        this.store = store;
        this.verdicts = verdicts;
        this.meters = meters;
    }

    Checked of(HaproxyRelease asked, Optional<HaproxyRelease> before) throws IOException, InterruptedException {
        if (last.filter(checked -> checked.isOf(asked, before)).isEmpty()) {
            last = Optional.empty();
            last = Optional.of(check(asked, before));
        }
        return last.get();
    }

    private Checked check(HaproxyRelease asked, Optional<HaproxyRelease> before)
            throws IOException, InterruptedException {
        Path home = store.write(asked);
        Optional<String> fault = program.fault(home);
        if (fault.isEmpty()) {
            return new Checked(asked, before, asked, Map.of(), fault);
        }
        meters.edgeErrors.increment();
        var leftOut = new TreeMap<>(verdicts.bad(home, asked, asked.certificates()));
        if (leftOut.isEmpty()) {
            return new Checked(asked, before, asked, leftOut, fault);
        }
        HaproxyRelease used = before.map(good -> EdgeChange.mended(asked, leftOut.keySet(), good))
                .orElseGet(() -> asked.without(leftOut.keySet()));
        return new Checked(asked, before, used, leftOut, program.fault(store.write(used)));
    }
}
