package dev.shellac.chaperone.edge;

import java.util.Optional;

/** One hash for all files of a candidate. They may be megabytes, and it is asked for again and again. */
final class FilesHash {
    private record Known(HaproxyRelease release, String hash) {}

    private Optional<Known> last = Optional.empty();

    @SuppressWarnings("ReferenceEquality") // comparing the files would take as long
    String of(HaproxyRelease release) {
        Known known = last.filter(found -> found.release() == release)
                .orElseGet(() -> new Known(release, release.filesHash()));
        last = Optional.of(known);
        return known.hash();
    }
}
