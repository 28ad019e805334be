package dev.shellac.operator.children;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.model.gateway.Gateway;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;

/**
 * The configuration as ConfigMaps, which hold a mebibyte each. routing.json is plain while it is small, so that a person can read it; then
 * compressed; then compressed and cut into parts, which the last ConfigMap lists with their hashes.
 */
public final class ConfigMaps {
    static final int MOST_PLAIN = 256 * 1024;
    static final int MOST_BYTES = 900 * 1024;
    static final int MOST_PLAIN_CHANGES = 4 * 1024;
    private static final int MOST_PARTS = 8;

    private ConfigMaps() {}

    /** In the order in which they are to be written: a pod takes parts when the last one lists them. */
    public static List<ConfigMap> of(Gateway gateway, Configuration configuration) {
        var texts = new TreeMap<>(configuration.others());
        configuration.mainVcl().ifPresent(vcl -> texts.put("main.vcl", vcl));
        int beside = texts.values().stream()
                .mapToInt(text -> text.getBytes(UTF_8).length)
                .sum();
        byte[] routing = configuration.routing().getBytes(UTF_8);
        if (routing.length <= MOST_PLAIN && beside + routing.length <= MOST_BYTES) {
            texts.put("routing.json", configuration.routing());
            return List.of(whole(gateway, texts, Map.of()));
        }
        byte[] compressed = compressed(routing);
        if (beside + compressed.length <= MOST_BYTES) {
            return List.of(whole(gateway, texts, Map.of("routing.json.gz", base64(compressed))));
        }
        List<byte[]> parts = cut(compressed);
        var names = new Names(gateway.meta().name());
        var maps = new ArrayList<ConfigMap>();
        for (int i = 0; i < parts.size(); i++) {
            maps.add(map(
                    gateway,
                    names.configMapPart(i + 1),
                    Map.of(),
                    Map.of("routing.json.gz.part", base64(parts.get(i)))));
        }
        texts.put("routing.parts", listed(maps, parts));
        maps.add(whole(gateway, texts, Map.of()));
        return maps;
    }

    /** Of the ConfigMap that the others hang on. */
    public static ObjectMeta metadata(Gateway gateway) {
        return new ChildMetadata(gateway).meta(new Names(gateway.meta().name()).configMap());
    }

    /**
     * What changed since the whole was written. It is small, so a change among thousands of routes is written and read at the cost of one; where it is
     * more, it is compressed.
     *
     * @param base the hash of the text of routing.json that it is about
     */
    public static ConfigMap changes(Gateway gateway, String base, String changes) {
        byte[] bytes = changes.getBytes(UTF_8);
        boolean plain = bytes.length <= MOST_PLAIN_CHANGES;
        return map(
                gateway,
                new Names(gateway.meta().name()).configMapOfChanges(),
                new TreeMap<>(plain ? Map.of("base", base, "routing.changes.json", changes) : Map.of("base", base)),
                plain ? Map.of() : Map.of("routing.changes.json.gz", base64(compressed(bytes))));
    }

    private static ConfigMap whole(Gateway gateway, Map<String, String> texts, Map<String, String> binaries) {
        return map(gateway, new Names(gateway.meta().name()).configMap(), texts, binaries);
    }

    private static ConfigMap map(
            Gateway gateway, String name, Map<String, String> texts, Map<String, String> binaries) {
        return new ConfigMapBuilder()
                .withMetadata(new ChildMetadata(gateway).meta(name))
                .withData(texts)
                .withBinaryData(binaries)
                .build();
    }

    private static String listed(List<ConfigMap> maps, List<byte[]> parts) {
        var entries = new ArrayList<String>();
        for (int i = 0; i < parts.size(); i++) {
            entries.add("{\"name\": \"" + maps.get(i).getMetadata().getName() + "\", \"sha256\": \""
                    + Names.sha256(parts.get(i)) + "\"}");
        }
        return entries.stream().collect(Collectors.joining(",\n", "[", "]\n"));
    }

    private static List<byte[]> cut(byte[] bytes) {
        var parts = new ArrayList<byte[]>();
        for (int from = 0; from < bytes.length; from += MOST_BYTES) {
            parts.add(Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + MOST_BYTES)));
        }
        if (parts.size() > MOST_PARTS) {
            throw new IllegalArgumentException("the routes of this Gateway take " + bytes.length
                    + " bytes when they are compressed; there is room for " + MOST_PARTS * MOST_BYTES);
        }
        return parts;
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    // Level 1: routes compress by a factor of twenty at any level, and this one takes a third of the time.
    private static byte[] compressed(byte[] bytes) {
        var target = new ByteArrayOutputStream(bytes.length / 8);
        try (OutputStream out = new FastGzip(target)) {
            out.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException("memory can be written", e);
        }
        return target.toByteArray();
    }

    private static final class FastGzip extends GZIPOutputStream {
        FastGzip(OutputStream out) throws IOException {
            super(out);
            def.setLevel(1);
        }
    }
}
