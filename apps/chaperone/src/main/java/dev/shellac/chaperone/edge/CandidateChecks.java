package dev.shellac.chaperone.edge;

import dev.shellac.chaperone.live.Meters;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What HAProxy says of candidates before anybody gives way to them. The last one is not asked about again. */
final class CandidateChecks {
    private final Haproxy program;
    private final EdgeDisk disk;
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
            Candidate asked,
            Optional<Candidate> before,
            Candidate used,
            Map<String, String> leftOut,
            Optional<String> fault) {
        Checked {
            leftOut = Map.copyOf(leftOut);
        }

        boolean isOf(Candidate candidate, Optional<Candidate> inUse) {
            return asked.equals(candidate) && before.equals(inUse);
        }
    }

    CandidateChecks(Haproxy program, EdgeDisk disk, CertificateVerdicts verdicts, Meters meters) {
        this.program = program;
        this.disk = disk;
        this.verdicts = verdicts;
        this.meters = meters;
    }

    Checked of(Candidate asked, Optional<Candidate> before) throws IOException, InterruptedException {
        if (last.filter(checked -> checked.isOf(asked, before)).isEmpty()) {
            last = Optional.empty();
            last = Optional.of(check(asked, before));
        }
        return last.get();
    }

    private Checked check(Candidate asked, Optional<Candidate> before) throws IOException, InterruptedException {
        Path home = disk.write(asked);
        Optional<String> fault = program.fault(home);
        if (fault.isEmpty()) {
            return new Checked(asked, before, asked, Map.of(), fault);
        }
        meters.edgeErrors.increment();
        var leftOut = new TreeMap<>(verdicts.bad(home, asked, asked.certificates()));
        if (leftOut.isEmpty()) {
            return new Checked(asked, before, asked, leftOut, fault);
        }
        Candidate used = before.map(good -> EdgeChange.mended(asked, leftOut.keySet(), good))
                .orElseGet(() -> asked.without(leftOut.keySet()));
        return new Checked(asked, before, used, leftOut, program.fault(disk.write(used)));
    }
}
