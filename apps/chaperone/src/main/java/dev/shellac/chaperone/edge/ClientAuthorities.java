package dev.shellac.chaperone.edge;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The authorities without whose certificates no client connects.
 *
 * @param ports of HTTPS
 * @param byPort certificates of the authorities, of those ports that let nobody else in
 */
record ClientAuthorities(Set<String> ports, Map<String, Set<String>> byPort) {
    private static final Pattern PORT =
            Pattern.compile("(?m)^ *bind \\*:.* crt-list \"\\$\\{EDGE_TLS}/(port-[0-9]+)\\.list\"(.*)$");
    private static final String REQUIRED = " verify required";
    private static final String FILE = ".ca";
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([ 0-9A-Z]+)-----(.*?)-----END \\1-----", Pattern.DOTALL);

    static ClientAuthorities of(HaproxyRelease release) {
        var byPort = new TreeMap<String, Set<String>>();
        for (MatchResult port : PORT.matcher(release.config()).results().toList()) {
            if (port.group(2).contains(REQUIRED)) {
                byPort.put(port.group(1), certificates(release, port.group(1) + FILE));
            }
        }
        return new ClientAuthorities(
                PORT.matcher(release.config())
                        .results()
                        .map(port -> port.group(1))
                        .collect(Collectors.toSet()),
                byPort);
    }

    private static Set<String> certificates(HaproxyRelease release, String file) {
        String text = EdgeChange.content(release, file).reveal(bytes -> new String(bytes, US_ASCII));
        Set<String> found = BLOCK.matcher(text)
                .results()
                .map(block -> block.group(1) + " " + decoded(block.group(2)))
                .collect(Collectors.toSet());
        return found.isEmpty() ? Set.of(text.strip()) : found;
    }

    // Without the lines that it is written in. What is not Base64 is itself alone.
    private static String decoded(String block) {
        try {
            return HexFormat.of().formatHex(Base64.getMimeDecoder().decode(block));
        } catch (IllegalArgumentException e) {
            return block.strip();
        }
    }

    /** Whether a port lets in clients now that the next would refuse. One more authority takes nothing from anybody. */
    boolean isNarrowedBy(ClientAuthorities next) {
        return next.byPort().entrySet().stream()
                .filter(port -> ports.contains(port.getKey()))
                .anyMatch(port -> !byPort.containsKey(port.getKey())
                        || !port.getValue().containsAll(byPort.getOrDefault(port.getKey(), Set.of())));
    }
}
