package dev.shellac.chaperone.controller;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.shellac.varnishconfig.table.PodTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * backends.conf, for VCL of a user that brings its own directors: a section for each Service, an entry for each endpoint. A Service of
 * the Gateway's namespace is {@code svc_name}, another {@code svc_namespace_name}.
 */
public final class BackendsFile {
    private static final JsonFactory JSON = new JsonFactory();

    private final Path file;
    private final String namespace;
    private String last = "";

    public BackendsFile(Path file, String namespace) {
        this.file = file;
        this.namespace = namespace;
    }

    /** Writes the file if the table is another than the last time. */
    void write(PodTable table) throws IOException {
        if (!table.table().hash().equals(last)) {
            PodFiles.replace(file, text(table.poolsJson()));
            last = table.table().hash();
        }
    }

    String text(String pools) throws IOException {
        var sections = new TreeMap<String, TreeSet<String>>();
        for (Map.Entry<String, List<Target>> pool : read(pools).entrySet()) {
            var entries = sections.computeIfAbsent(section(pool.getKey()), name -> new TreeSet<>());
            pool.getValue().forEach(target -> entries.add(target.entry()));
        }
        var text = new StringBuilder("# Written by the chaperone whenever endpoints change; do not edit.\n");
        sections.forEach((section, entries) -> {
            text.append("\n[").append(section).append("]\n");
            entries.forEach(entry -> text.append(entry).append('\n'));
        });
        return text.toString();
    }

    private record Target(String address, int port) {
        // Two ports of one pod are two backends, so the port is part of the name.
        String entry() {
            String name = "pod_" + identifier(address) + "_" + port;
            return name + " = " + (address.contains(":") ? "[" + address + "]" : address) + ":" + port;
        }
    }

    // A pool is called namespace/name:port.
    private String section(String pool) {
        int slash = pool.indexOf('/');
        String service = pool.substring(slash + 1, pool.lastIndexOf(':'));
        String of = pool.substring(0, slash);
        return "svc_" + identifier(of.equals(namespace) ? service : of + "_" + service);
    }

    private static String identifier(String text) {
        return text.replaceAll("[^A-Za-z0-9_]", "_");
    }

    private static Map<String, List<Target>> read(String pools) throws IOException {
        var found = new TreeMap<String, List<Target>>();
        try (JsonParser parser = JSON.createParser(pools)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                List<Target> targets = found.computeIfAbsent(parser.currentName(), name -> new ArrayList<>());
                int depth = 0;
                String address = "";
                do {
                    JsonToken token = parser.nextToken();
                    if (token.isStructStart()) {
                        depth++;
                    } else if (token.isStructEnd()) {
                        depth--;
                    } else if (token == JsonToken.VALUE_STRING && "address".equals(parser.currentName())) {
                        address = parser.getText();
                    } else if (token == JsonToken.VALUE_NUMBER_INT && "port".equals(parser.currentName())) {
                        targets.add(new Target(address, parser.getIntValue()));
                    }
                } while (depth > 0);
            }
        }
        return found;
    }
}
