package dev.shellac.chaperone.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.varnishconfig.changes.ChangeSet;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Optional;

/**
 * What is known of the ConfigMap of changes. It says which file its changes are of, so that a pod never takes them for those of another: the two objects
 * are written one after the other, and seen in any order. The same changes may come straight from their writer, before or after they are seen written down:
 * the newer ones count.
 *
 * @param isKnown whether it was looked for, or cannot be
 * @param wasThere whether it was there at any time
 */
record ConfigChanges(boolean isKnown, boolean wasThere, Optional<ChangeSet> now) {
    private static final System.Logger LOG = System.getLogger(ConfigChanges.class.getName());
    static final String BASE = "base";
    static final String CHANGES = "routing.changes.json";
    static final String COMPRESSED = "routing.changes.json.gz";
    static final String WRITER = "writer";
    static final String NUMBER = "number";
    // Sixteen times what an operator writes here.
    private static final int MOST_BYTES = 1 << 20;
    static final ConfigChanges UNKNOWN = new ConfigChanges(false, false, Optional.empty());

    /** What a ConfigMap says; one that cannot be read is as if it could not be, and one that is older than what came straight is not news. */
    ConfigChanges seen(Optional<Node> configMap) {
        try {
            Optional<ChangeSet> written =
                    configMap.isEmpty() ? Optional.empty() : Optional.of(delivery(configMap.get()));
            boolean stale = written.isPresent() && now.isPresent() && isBefore(written.get(), now.get());
            return new ConfigChanges(true, wasThere || written.isPresent(), stale ? now : written);
        } catch (IOException e) {
            LOG.log(Level.WARNING, "{0} is not taken: {1}", COMPRESSED, e.getMessage());
            return unread();
        }
    }

    /** With what came straight from the writer of what was seen; nothing where that is not newer, or somebody else's. */
    Optional<ConfigChanges> told(ChangeSet straight) {
        return now.filter(known -> isBefore(known, straight))
                .map(known -> new ConfigChanges(isKnown, wasThere, Optional.of(straight)));
    }

    private static boolean isBefore(ChangeSet one, ChangeSet other) {
        return one.revision().writer().equals(other.revision().writer())
                && one.revision().number() < other.revision().number();
    }

    /** Who writes the changes; empty where that is not known. */
    String writer() {
        return now.map(known -> known.revision().writer()).orElse("");
    }

    private static ChangeSet delivery(Node configMap) throws IOException {
        Node data = configMap.get("data");
        Node binary = configMap.get("binaryData");
        return new ChangeSet(
                new ChangeSet.Revision(
                        data.get(WRITER).text(), number(data.get(NUMBER).text())),
                data.get(BASE).text(),
                binary.members().containsKey(COMPRESSED)
                        ? unzipped(ConfigReading.decoded(binary, COMPRESSED))
                        : data.get(CHANGES).text());
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static String unzipped(byte[] compressed) throws IOException {
        var bytes = new ByteArrayOutputStream();
        Gzip.unpack(compressed, MOST_BYTES, (piece, count) -> bytes.write(piece, 0, count));
        return bytes.toString(UTF_8);
    }

    /** It cannot be read, as by the rights that an earlier operator gave; what was seen of it stays. */
    ConfigChanges unread() {
        return new ConfigChanges(true, wasThere, now);
    }

    /** The file with its changes; nothing while it does not fit what is known of them. */
    Optional<RoutingFile> of(RoutingFile whole) {
        if (now.isPresent()) {
            return now.filter(changes -> changes.base().equals(whole.wholeHash()))
                    .map(changes -> whole.with(changes.json()));
        }
        return isKnown && !wasThere ? Optional.of(whole) : Optional.empty();
    }
}
