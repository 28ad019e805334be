package dev.shellac.varnishconfig.edge;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.model.Secret;
import dev.shellac.translate.resolve.CertificateRoom;
import dev.shellac.varnishconfig.wire.Digest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The files of a bundle, divided among Secrets. Which one a file is in depends on its name: another certificate under the same name, or one more, changes one
 * Secret. Where that one is full it is the next that has room.
 *
 * <p>A list or a file of authorities that is large is cut into pieces, {@code port-443.list.000} and so on; {@link #joined} puts them together again.
 *
 * @param files by the number of the part, those that have any
 */
public record CertificateParts(SortedMap<Integer, SortedMap<String, Secret>> files) {
    /** So many at most. */
    public static final int MOST = CertificateRoom.PARTS;

    private static final int PIECE = 32 * 1024;
    private static final Pattern PIECES = Pattern.compile("(.+\\.(?:list|ca))\\.[0-9]{3}");

    public CertificateParts {
        files = new TreeMap<>(files);
    }

    /**
     * The parts of these files.
     *
     * @throws IllegalArgumentException if they are more than a Gateway may have, which the translator does not let through
     */
    public static CertificateParts of(SortedMap<String, Secret> bundle) {
        var parts = new TreeMap<Integer, SortedMap<String, Secret>>();
        var used = new int[CertificateRoom.PARTS];
        for (Map.Entry<String, Secret> file : pieces(bundle).entrySet()) {
            int length = file.getValue().length();
            int part = home(file.getKey());
            for (int tried = 0; used[part] + length > CertificateRoom.PART_BYTES; tried++) {
                if (tried == CertificateRoom.PARTS) {
                    throw new IllegalArgumentException(
                            "the certificates of the Gateway do not fit into " + CertificateRoom.PARTS + " Secrets");
                }
                part = (part + 1) % CertificateRoom.PARTS;
            }
            used[part] += length;
            parts.computeIfAbsent(part, number -> new TreeMap<>()).put(file.getKey(), file.getValue());
        }
        return new CertificateParts(parts);
    }

    private static int home(String file) {
        return Integer.parseInt(Digest.of(file.getBytes(UTF_8)).substring(0, 4), 16) % CertificateRoom.PARTS;
    }

    private static SortedMap<String, Secret> pieces(SortedMap<String, Secret> bundle) {
        var pieces = new TreeMap<String, Secret>();
        bundle.forEach((name, file) -> {
            if (file.length() <= PIECE || !PIECES.matcher(name + ".000").matches()) {
                pieces.put(name, file);
                return;
            }
            byte[] bytes = file.<byte[]>reveal(all -> all);
            for (int from = 0; from < bytes.length; from += PIECE) {
                pieces.put(
                        "%s.%03d".formatted(name, from / PIECE),
                        Secret.of(Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + PIECE))));
            }
        });
        return pieces;
    }

    /** The files again, out of what is in all parts. */
    public static SortedMap<String, Secret> joined(SortedMap<String, Secret> pieces) {
        var files = new TreeMap<String, Secret>();
        var cut = new TreeMap<String, List<Secret>>();
        pieces.forEach((name, piece) -> {
            Matcher matcher = PIECES.matcher(name);
            if (matcher.matches()) {
                cut.computeIfAbsent(matcher.group(1), file -> new ArrayList<>()).add(piece);
            } else {
                files.put(name, piece);
            }
        });
        cut.forEach((name, all) -> files.put(name, whole(all)));
        return files;
    }

    private static Secret whole(List<Secret> pieces) {
        var bytes = new byte[pieces.stream().mapToInt(Secret::length).sum()];
        int at = 0;
        for (Secret piece : pieces) {
            System.arraycopy(piece.<byte[]>reveal(all -> all), 0, bytes, at, piece.length());
            at += piece.length();
        }
        return Secret.of(bytes);
    }

    /** What some files are known by: {@code sha256:} and a digest over their names and the digest of each. */
    public static String hash(SortedMap<String, Secret> files) {
        var names = new StringBuilder();
        files.forEach((name, file) -> names.append(name)
                .append(' ')
                .append(file.<String>reveal(Digest::of))
                .append('\n'));
        return "sha256:" + Digest.of(names.toString().getBytes(UTF_8));
    }
}
