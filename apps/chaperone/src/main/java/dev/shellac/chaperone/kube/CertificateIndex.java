package dev.shellac.chaperone.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.varnishconfig.edge.CertificateParts;
import dev.shellac.varnishconfig.reading.Json;
import dev.shellac.varnishconfig.reading.RoutingFormatException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The Secret that lists the parts of the certificates: {@code parts} is {@code [{"name": …, "sha256": …}, …]}, {@code haproxy.cfg.sha256} the hash of the one
 * configuration that may run beside these keys, and {@code main.vcl.sha256} those of the VCL, a line each.
 */
final class CertificateIndex {
    static final String PARTS = "parts";
    static final String CONFIG = "haproxy.cfg.sha256";
    static final String VCL = "main.vcl.sha256";

    /** A Secret and the hash of what is in it. */
    record Part(String name, String hash) {}

    private CertificateIndex() {}

    /** The parts that it lists, which all have names that begin so. */
    static List<Part> parts(Node index, String prefix) throws IOException {
        byte[] list = ConfigReading.decoded(index.get("data"), PARTS);
        var parts = new ArrayList<Part>();
        try {
            Json json = new JacksonJson().parse(list, 0, list.length);
            for (Node part : Node.of(json).items()) {
                String name = part.get("name").text();
                // By name is all that a pod may read; a list cannot make it ask for others.
                if (!name.startsWith(prefix + "-")
                        || !name.substring(prefix.length() + 1).matches("[0-9]{1,2}")) {
                    throw new IOException(PARTS + " names " + name + ", which is no part of " + prefix);
                }
                parts.add(new Part(name, part.get("sha256").text()));
            }
        } catch (RoutingFormatException e) {
            throw new IOException(PARTS + " is no list", e);
        }
        if (parts.isEmpty() || parts.size() > CertificateParts.MOST) {
            throw new IOException(PARTS + " lists " + parts.size() + " parts");
        }
        return parts;
    }

    /** The hash of haproxy.cfg; empty where none may run. */
    static String config(Node index) {
        return text(index, CONFIG);
    }

    /** Whether a VCL of this hash may be used: main.vcl, or the last good one while pods refuse that. An operator may have written it that names none. */
    static boolean namesVcl(Node index, String hash) {
        return !index.get("data").members().containsKey(VCL)
                || text(index, VCL).lines().anyMatch(hash::equals);
    }

    private static String text(Node index, String key) {
        try {
            return new String(ConfigReading.decoded(index.get("data"), key), UTF_8).strip();
        } catch (IOException e) {
            return "";
        }
    }
}
