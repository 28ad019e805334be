package dev.shellac.chaperone.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.varnishconfig.reading.Json;
import dev.shellac.varnishconfig.reading.RoutingFormatException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * routing.json out of a ConfigMap, in one of three forms: plain as {@code data["routing.json"]}; compressed as {@code
 * binaryData["routing.json.gz"]}; or compressed and cut into parts, which {@code data["routing.parts"]} lists as {@code
 * [{"name": …, "sha256": …}, …]}, each a ConfigMap with {@code binaryData["routing.json.gz.part"]}. The parts are written
 * before the list, and a set counts only when every hash fits.
 */
final class ConfigReading {
    static final String PLAIN = "routing.json";
    static final String COMPRESSED = "routing.json.gz";
    static final String PARTS = "routing.parts";
    static final String PART = "routing.json.gz.part";
    private static final int MOST_PARTS = 8;

    /** Gets a ConfigMap by name. */
    interface Source {
        Node get(String name) throws IOException, InterruptedException;
    }

    private ConfigReading() {}

    /**
     * Nothing where the ConfigMap has no routing in any form.
     *
     * @param most bytes that a compressed one may have when it is unpacked
     */
    static Optional<RoutingFile> routing(Node configMap, Source source, int most)
            throws IOException, InterruptedException {
        Node data = configMap.get("data");
        Node binary = configMap.get("binaryData");
        if (data.members().containsKey(PARTS)) {
            return Optional.of(
                    RoutingFile.unzipped(joined(configMap, data.get(PARTS).text(), source), most));
        }
        if (binary.members().containsKey(COMPRESSED)) {
            return Optional.of(RoutingFile.unzipped(decoded(binary, COMPRESSED), most));
        }
        return data.members().containsKey(PLAIN)
                ? Optional.of(new RoutingFile(data.get(PLAIN).text().getBytes(UTF_8)))
                : Optional.empty();
    }

    private static byte[] joined(Node configMap, String list, Source source) throws IOException, InterruptedException {
        String prefix = configMap.get("metadata").get("name").text() + "-";
        var whole = new ByteArrayOutputStream();
        for (Node part : parts(list)) {
            String name = part.get("name").text();
            // By name is all that a pod may read; a list cannot make it ask for others.
            if (!name.startsWith(prefix) || !name.substring(prefix.length()).matches("[1-" + MOST_PARTS + "]")) {
                throw new IOException(PARTS + " names " + name + ", which is none of " + prefix + "1 to " + MOST_PARTS);
            }
            byte[] bytes = decoded(source.get(name).get("binaryData"), PART);
            if (!RoutingFile.sha256(bytes).equals(part.get("sha256").text())) {
                throw new IOException(name + " has another hash than " + PARTS + " says");
            }
            whole.writeBytes(bytes);
        }
        return whole.toByteArray();
    }

    private static List<Node> parts(String list) throws IOException {
        try {
            byte[] bytes = list.getBytes(UTF_8);
            Json json = new JacksonJson().parse(bytes, 0, bytes.length);
            List<Node> parts = Node.of(json).items();
            if (parts.isEmpty() || parts.size() > MOST_PARTS) {
                throw new IOException(PARTS + " lists " + parts.size() + " parts");
            }
            return parts;
        } catch (RoutingFormatException e) {
            throw new IOException(PARTS + " is no list", e);
        }
    }

    /** What stands in base64 under a key. */
    static byte[] decoded(Node binary, String key) throws IOException {
        try {
            return Base64.getMimeDecoder().decode(binary.get(key).text());
        } catch (IllegalArgumentException e) {
            throw new IOException(key + " is not base64", e);
        }
    }
}
