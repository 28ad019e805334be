package dev.shellac.chaperone.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Optional;

/**
 * What is known of the ConfigMap of changes. It says which file its changes are of, so that a pod never takes them for those of another: the two objects
 * are written one after the other, and seen in any order.
 *
 * @param isKnown whether it was looked for, or cannot be
 * @param wasThere whether it was there at any time
 */
record ConfigChanges(boolean isKnown, boolean wasThere, Optional<Text> now) {
    private static final System.Logger LOG = System.getLogger(ConfigChanges.class.getName());
    static final String BASE = "base";
    static final String CHANGES = "routing.changes.json";
    static final String COMPRESSED = "routing.changes.json.gz";
    // Sixteen times what an operator writes here.
    private static final int MOST_BYTES = 1 << 20;
    static final ConfigChanges UNKNOWN = new ConfigChanges(false, false, Optional.empty());

    /**
     * The changes.
     *
     * @param base the hash of the whole file that they are of
     */
    record Text(String base, String json) {}

    /** What a ConfigMap says; one that cannot be read is as if it could not be. */
    ConfigChanges seen(Optional<Node> configMap) {
        try {
            Optional<Text> text = configMap.isEmpty() ? Optional.empty() : Optional.of(text(configMap.get()));
            return new ConfigChanges(true, wasThere || text.isPresent(), text);
        } catch (IOException e) {
            LOG.log(Level.WARNING, "{0} is not taken: {1}", COMPRESSED, e.getMessage());
            return unread();
        }
    }

    private static Text text(Node configMap) throws IOException {
        Node data = configMap.get("data");
        Node binary = configMap.get("binaryData");
        return new Text(
                data.get(BASE).text(),
                binary.members().containsKey(COMPRESSED)
                        ? unzipped(ConfigReading.decoded(binary, COMPRESSED))
                        : data.get(CHANGES).text());
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
            return now.filter(text -> text.base().equals(whole.wholeHash())).map(text -> whole.with(text.json()));
        }
        return isKnown && !wasThere ? Optional.of(whole) : Optional.empty();
    }
}
