package dev.shellac.chaperone.edge;

import java.util.Optional;

/** One hash for all files of a candidate. They may be megabytes, and it is asked for again and again. */
final class FilesHash {
    private record Known(Candidate candidate, String hash) {}

    private Optional<Known> last = Optional.empty();

    @SuppressWarnings("ReferenceEquality") // comparing the files would take as long
    String of(Candidate candidate) {
        Known known = last.filter(found -> found.candidate() == candidate)
                .orElseGet(() -> new Known(candidate, candidate.filesHash()));
        last = Optional.of(known);
        return known.hash();
    }
}
