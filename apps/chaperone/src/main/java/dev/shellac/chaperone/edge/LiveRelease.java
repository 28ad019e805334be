package dev.shellac.chaperone.edge;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.chaperone.kube.RoutingFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What is in use, or was before the process died.
 *
 * @param home where it is on disk, for the next start
 * @param started what the process was started with, which is how it knows its files
 * @param asked as it came
 * @param used of what was asked: what is bad has been replaced or left out
 * @param leftOut what is bad, and HAProxy's words
 * @param certificates in use, and their hashes
 */
record LiveRelease(
        Path home,
        Path started,
        HaproxyRelease asked,
        HaproxyRelease used,
        Map<String, String> leftOut,
        Map<String, String> certificates) {
    LiveRelease {
        leftOut = Map.copyOf(leftOut);
        certificates = Map.copyOf(certificates);
    }

    /** Of a process that is started with it. */
    static LiveRelease of(Path home, HaproxyRelease asked, HaproxyRelease used, Map<String, String> leftOut) {
        return new LiveRelease(home, home, asked, used, leftOut, used.bundle().hashes(HaproxyRelease.PEM));
    }

    /** The one that was good before, of another process. What was left out is not known any more; it is found again when the configuration is. */
    static Optional<LiveRelease> last(HaproxyReleaseStore store) throws IOException {
        Optional<Path> home = store.good();
        if (home.isEmpty()) {
            return Optional.empty();
        }
        HaproxyRelease last = HaproxyReleaseStore.read(home.get());
        return Optional.of(of(home.get(), last, last, Map.of()));
    }

    /** Of the same process with other content. */
    LiveRelease next(Path kept, HaproxyRelease nextAsked, HaproxyRelease nextUsed, Map<String, String> nextLeftOut) {
        return new LiveRelease(
                kept,
                started,
                nextAsked,
                nextUsed,
                nextLeftOut,
                nextUsed.bundle().hashes(HaproxyRelease.PEM));
    }

    LiveRelease startedAgain() {
        return new LiveRelease(home, home, asked, used, leftOut, certificates);
    }

    /** What is still as bad in another candidate. */
    Map<String, String> stillBad(HaproxyRelease next) {
        var still = new TreeMap<>(leftOut);
        still.keySet().removeIf(name -> !EdgeChange.content(next, name).equals(EdgeChange.content(asked, name)));
        return still;
    }

    String hash() {
        return "sha256:" + RoutingFile.sha256(asked.config().getBytes(UTF_8));
    }
}
