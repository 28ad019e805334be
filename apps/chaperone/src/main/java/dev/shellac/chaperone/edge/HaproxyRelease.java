package dev.shellac.chaperone.edge;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.chaperone.kube.RoutingFile;
import dev.shellac.chaperone.kube.TlsBundle;
import dev.shellac.model.Secret;
import dev.shellac.varnishconfig.edge.CertificateParts;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A configuration with its certificates, to be tried as a whole.
 *
 * @param config haproxy.cfg
 * @param files what it names
 */
record HaproxyRelease(String config, Map<String, Secret> files) {
    static final String PEM = ".pem";

    private static final String LIST = ".list";
    private static final Pattern NEEDED =
            Pattern.compile("\\$\\{EDGE_TLS}/([-._A-Za-z0-9]+)|ca-file ([-._A-Za-z0-9]+)");
    private static final int NAME_LENGTH = 16;

    HaproxyRelease {
        files = Collections.unmodifiableMap(new TreeMap<>(files));
    }

    static HaproxyRelease of(String config, TlsBundle bundle) {
        return new HaproxyRelease(config, bundle.files());
    }

    TlsBundle bundle() {
        return new TlsBundle(new TreeMap<>(files), "");
    }

    /** One hash for all files. */
    String filesHash() {
        return CertificateParts.hash(new TreeMap<>(files));
    }

    /** Files that the configuration names and that are not there: they are on their way. */
    List<String> missing() {
        return NEEDED.matcher(config)
                .results()
                .map(found -> found.group(1) == null ? found.group(2) : found.group(1))
                .filter(name -> !files.containsKey(name))
                .distinct()
                .toList();
    }

    /** Certificates that are shown to somebody. */
    List<String> certificates() {
        return lists().flatMap(list -> text(list).lines())
                .map(line -> line.split(" ", 2)[0])
                .filter(files::containsKey)
                .distinct()
                .toList();
    }

    /**
     * The same without some certificates. A port that has none left still listens, and ends each handshake: HAProxy would not start
     * otherwise.
     */
    HaproxyRelease without(Collection<String> bad) {
        var kept = new TreeMap<>(files);
        bad.forEach(kept::remove);
        String text = config;
        for (String list : lists().toList()) {
            String left = text(list)
                    .lines()
                    .filter(line -> !bad.contains(line.split(" ", 2)[0]))
                    .map(line -> line + "\n")
                    .collect(Collectors.joining());
            kept.put(list, Secret.of(left.getBytes(UTF_8)));
            if (left.isEmpty()) {
                String named = "crt-list \"${EDGE_TLS}/" + list + "\"";
                text = text.replaceAll(
                        Pattern.quote(named) + "(?! strict-sni)", Matcher.quoteReplacement(named + " strict-sni"));
            }
        }
        return new HaproxyRelease(text, kept);
    }

    private Stream<String> lists() {
        return files.keySet().stream().filter(name -> name.endsWith(LIST));
    }

    private String text(String name) {
        return files.getOrDefault(name, Secret.of(new byte[0])).reveal(bytes -> new String(bytes, UTF_8));
    }

    /** A name for all of it, which two that differ do not share. */
    String name() {
        return RoutingFile.sha256((config + "\0" + filesHash()).getBytes(UTF_8)).substring(0, NAME_LENGTH);
    }
}
