package dev.shellac.chaperone.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.model.Secret;
import java.util.Base64;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The certificates of the Gateway: files by name.
 *
 * @param files those whose name is one; a Secret's keys cannot hold a slash, and nothing is written outside of its folder
 * @param config the hash of the only haproxy.cfg that they may be used with
 */
public record TlsBundle(SortedMap<String, Secret> files, String config) {
    private static final Pattern NAME = Pattern.compile("[-A-Za-z0-9_][-._A-Za-z0-9]*");

    public TlsBundle {
        files = new TreeMap<>(files);
        files.keySet().removeIf(name -> !NAME.matcher(name).matches());
    }

    /** What a Secret holds. */
    static SortedMap<String, Secret> files(Node secret) {
        var files = new TreeMap<String, Secret>();
        for (String name : secret.get("data").members().keySet()) {
            files.put(name, Secret.of(decoded(secret.get("data").get(name).text())));
        }
        return files;
    }

    // What the API server let in is base64.
    private static byte[] decoded(String text) {
        try {
            return Base64.getMimeDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            return new byte[0];
        }
    }

    /** Whether they may be used with this haproxy.cfg. Who may write ConfigMaps does not choose what runs beside keys. */
    public boolean isFor(String haproxy) {
        return config.equals("sha256:" + RoutingFile.sha256(haproxy.getBytes(UTF_8)));
    }

    /** The hash of each file whose name ends so, by name. */
    public SortedMap<String, String> hashes(String suffix) {
        var hashes = new TreeMap<String, String>();
        for (Map.Entry<String, Secret> file : files.entrySet()) {
            if (file.getKey().endsWith(suffix)) {
                hashes.put(file.getKey(), "sha256:" + file.getValue().<String>reveal(RoutingFile::sha256));
            }
        }
        return hashes;
    }
}
