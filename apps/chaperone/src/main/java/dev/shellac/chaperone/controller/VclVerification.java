package dev.shellac.chaperone.controller;

import dev.shellac.chaperone.kube.BaseMismatchTimeout;
import dev.shellac.chaperone.kube.SecretWatch;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Which main.vcl may run beside keys: one whose hash stands in the Secret that lists the certificates. VCL can read files, and who may write ConfigMaps in
 * the Gateway's namespace must not read the keys of others with it. Both objects are written one after the other and seen in any order, so that it takes a
 * moment before it is a fault that they differ; what is in use stays meanwhile.
 *
 * <p>Where there are no keys, any text is used. The first keys come into the pod only when the VCL in use is the one that they name. For one thread.
 */
public final class VclVerification {
    static final Duration FITS_WITHIN = Duration.ofSeconds(5);

    private final Optional<SecretWatch> certificates;
    private final Path keys;
    private final BaseMismatchTimeout mismatch = new BaseMismatchTimeout(FITS_WITHIN);
    private Optional<Long> withheldAt = Optional.empty();
    private Optional<Duration> left = Optional.empty();
    private boolean isVclUnused;
    private boolean areKeysWithheld;

    /**
     * Of a pod.
     *
     * @param keys the folder with a folder for each set of keys
     */
    public VclVerification(Optional<SecretWatch> certificates, Path keys) {
        this.certificates = certificates;
        this.keys = keys;
        // They came beside a VCL that was the right one, which is on the disk as well.
        certificates.filter(watch -> hasKeys()).ifPresent(SecretWatch::release);
    }

    /** Whether a text may be used. */
    boolean accepts(String text, long nanos) {
        return certificates.map(watch -> isAccepted(watch, text, nanos)).orElse(true);
    }

    /** The wanted text if it may be used; nothing where the one in use has to stay. */
    Optional<String> accepted(Optional<String> wanted, long nanos) {
        Optional<String> accepted = wanted.filter(text -> accepts(text, nanos));
        isVclUnused = wanted.isPresent() && accepted.isEmpty();
        return accepted;
    }

    private boolean isAccepted(SecretWatch watch, String text, long nanos) {
        if (watch.isGone() && !hasKeys() && isWithheld(watch, nanos)) {
            return withheldAt.map(at -> nanos - at >= FITS_WITHIN.toNanos()).orElse(true);
        }
        if (watch.hasIndex()) {
            return watch.isNamed(VclUpdater.hash(text));
        }
        // Whether there will be keys is not known before the API server has said anything at all.
        return !hasKeys() && watch.isAnswered();
    }

    private boolean isWithheld(SecretWatch watch, long nanos) {
        if (!watch.isReleased()) {
            return true;
        }
        if (!watch.withhold()) {
            return false;
        }
        // Somebody may be about to write those that were there.
        withheldAt = Optional.of(nanos);
        return true;
    }

    /** Has keys come into the pod if this is what they may stand beside. */
    void live(Optional<String> hash, long nanos) {
        certificates.ifPresent(watch -> {
            boolean waiting = watch.hasIndex() && !watch.isGone() && !watch.isReleased();
            if (waiting && hash.filter(watch::isNamed).isPresent()) {
                watch.release();
                waiting = false;
            }
            areKeysWithheld = waiting;
            left = mismatch.left(!isVclUnused && !areKeysWithheld, nanos);
        });
    }

    /** How long until it is a fault that something does not fit; nothing where it is, or all does. */
    Optional<Duration> left() {
        return left;
    }

    Map<String, String> faults() {
        var faults = new TreeMap<String, String>();
        if (left.isPresent()) {
            return faults;
        }
        if (isVclUnused) {
            faults.put(
                    "main.vcl",
                    "main.vcl in the ConfigMap is not used: its hash is not in the Secret of" + " certificates");
        }
        if (areKeysWithheld) {
            faults.put("certificates", "they wait until the main.vcl whose hash stands in their Secret is in use");
        }
        return faults;
    }

    private boolean hasKeys() {
        if (!Files.isDirectory(keys)) {
            return false;
        }
        try (DirectoryStream<Path> sets = Files.newDirectoryStream(keys, Files::isDirectory)) {
            return sets.iterator().hasNext();
        } catch (IOException | DirectoryIteratorException e) {
            return true; // nobody knows
        }
    }
}
