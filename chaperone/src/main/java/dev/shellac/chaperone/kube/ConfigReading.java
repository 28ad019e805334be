package dev.shellac.chaperone.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.varnishconfig.reading.Json;
import dev.shellac.varnishconfig.reading.NotRouting;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

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
    private static final int MOST_BYTES = 256 << 20;

    /** Gets a ConfigMap by name. */
    interface Source {
        Node get(String name) throws IOException, InterruptedException;
    }

    private ConfigReading() {}

    /** Nothing where the ConfigMap has no routing in any form. */
    static Optional<RoutingFile> routing(Node configMap, Source source) throws IOException, InterruptedException {
        Node data = configMap.get("data");
        Node binary = configMap.get("binaryData");
        if (data.members().containsKey(PARTS)) {
            return Optional.of(
                    new RoutingFile(unzip(joined(configMap, data.get(PARTS).text(), source), MOST_BYTES)));
        }
        if (binary.members().containsKey(COMPRESSED)) {
            return Optional.of(new RoutingFile(unzipped(binary, COMPRESSED, MOST_BYTES)));
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
        } catch (NotRouting e) {
            throw new IOException(PARTS + " is no list", e);
        }
    }

    /** What is compressed under a key, where it has so many bytes at most. */
    static byte[] unzipped(Node binary, String key, int most) throws IOException {
        return unzip(decoded(binary, key), most);
    }

    private static byte[] decoded(Node binary, String key) throws IOException {
        try {
            return Base64.getMimeDecoder().decode(binary.get(key).text());
        } catch (IllegalArgumentException e) {
            throw new IOException(key + " is not base64", e);
        }
    }

    private static byte[] unzip(byte[] compressed, int most) throws IOException {
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(compressed))) {
            byte[] bytes = in.readNBytes(most + 1);
            if (bytes.length > most) {
                throw new IOException("it has more than " + most + " bytes when it is not compressed");
            }
            return bytes;
        }
    }
}
