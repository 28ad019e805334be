package dev.shellac.chaperone;

import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Variables as values. A mistake is noted, and the next one is looked for. */
final class Environment {
    private final Map<String, String> variables;
    private final List<String> mistakes = new ArrayList<>();

    Environment(Map<String, String> variables) {
        this.variables = Map.copyOf(variables);
    }

    void check() throws BadSettings {
        if (!mistakes.isEmpty()) {
            throw new BadSettings(mistakes);
        }
    }

    void mistake(String name, String what) {
        mistakes.add(name + "=" + variables.getOrDefault(name, "") + ": " + what);
    }

    /** An empty variable is one that is not set. */
    Optional<String> optional(String name) {
        return Optional.ofNullable(variables.get(name)).filter(value -> !value.isBlank());
    }

    String text(String name, String otherwise) {
        return optional(name).orElse(otherwise);
    }

    /** Not empty parts, one a line where it has lines, and else between semicolons. */
    List<String> list(String name, String otherwise) {
        String text = text(name, otherwise);
        return parts(text, text.contains("\n") ? "\n" : ";");
    }

    /** The words of a command. */
    Optional<List<String>> words(String name) {
        return optional(name).map(text -> parts(text, "\\s+"));
    }

    private static List<String> parts(String text, String separator) {
        return Arrays.stream(text.split(separator))
                .map(String::strip)
                .filter(part -> !part.isEmpty())
                .toList();
    }

    Path path(String name, String otherwise) {
        return Path.of(text(name, otherwise)).toAbsolutePath();
    }

    Optional<Path> optionalPath(String name) {
        return optional(name).map(text -> Path.of(text).toAbsolutePath());
    }

    Duration seconds(String name, Duration otherwise) {
        Optional<String> text = optional(name);
        if (text.isEmpty()) {
            return otherwise;
        }
        try {
            double seconds = Double.parseDouble(text.get());
            if (seconds >= 0 && seconds <= 3600) {
                return Duration.ofMillis(Math.round(seconds * 1000));
            }
        } catch (NumberFormatException e) {
            // said below
        }
        mistake(name, "a number of seconds from 0 to 3600 expected");
        return otherwise;
    }

    /** {@code host:port}, or {@code :port} for all addresses. */
    InetSocketAddress address(String name, String otherwise) {
        String text = text(name, otherwise);
        int colon = text.lastIndexOf(':');
        try {
            int port = Integer.parseInt(text.substring(colon + 1));
            if (colon >= 0 && port >= 0 && port <= 65_535) {
                String host = text.substring(0, colon).replaceAll("^\\[|\\]$", "");
                return host.isEmpty() ? new InetSocketAddress(port) : new InetSocketAddress(host, port);
            }
        } catch (NumberFormatException e) {
            // said below
        }
        mistake(name, "host:port or :port expected");
        return new InetSocketAddress(0);
    }

    Optional<URI> url(String name) {
        try {
            return optional(name).map(URI::create);
        } catch (IllegalArgumentException e) {
            mistake(name, "a URL expected");
            return Optional.empty();
        }
    }
}
