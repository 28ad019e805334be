package dev.shellac.operator;

import dev.shellac.operator.children.Platform;
import dev.shellac.translate.Settings;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What the process was told, checked.
 *
 * @param platform what is handed on to gateway pods
 * @param heap bytes that the process may use, of which each namespace has a share
 */
record Options(
        InetSocketAddress metrics,
        InetSocketAddress health,
        Election election,
        Platform platform,
        Optional<System.Logger.Level> logLevel,
        Identity identity,
        long heap) {
    /** Whether others like this one may run. */
    enum Election {
        LEASE,
        ALONE
    }

    /** Where the Lease is, and who holds it. */
    record Identity(String namespace, String name) {}

    /** A setting that makes no sense, in words for whoever set it. */
    static final class Bad extends Exception {
        private static final long serialVersionUID = 1;

        Bad(String message) {
            super(message);
        }
    }

    /** {@code :8080} or {@code 127.0.0.1:8080}. */
    static InetSocketAddress address(String text) throws Bad {
        int colon = text.lastIndexOf(':');
        try {
            int port = Integer.parseInt(text.substring(colon + 1));
            String host = text.substring(0, Math.max(colon, 0)).replaceAll("[\\[\\]]", "");
            if (colon >= 0 && port >= 0 && port < 65_536) {
                return host.isEmpty() ? new InetSocketAddress(port) : new InetSocketAddress(host, port);
            }
        } catch (NumberFormatException e) {
            throw new Bad(text + " is not an address such as :8080");
        }
        throw new Bad(text + " is not an address such as :8080");
    }

    /** What is set for the operator of varnish/gateway and has no effect here, and what to use in its place. */
    static List<String> leftOver(Map<String, String> environment) {
        var words = new ArrayList<String>();
        String className = environment.getOrDefault("GATEWAY_CLASS_NAME", "");
        if (!className.isEmpty()) {
            words.add("GATEWAY_CLASS_NAME=" + className + " has no effect: every GatewayClass with the controllerName "
                    + Settings.CONTROLLER_NAME + " is served; remove the variable");
        }
        String image = environment.getOrDefault("GATEWAY_IMAGE", "");
        if (image.contains("gateway-chaperone")) {
            words.add("GATEWAY_IMAGE=" + image + " looks like an image of varnish/gateway, in which Shellac's chaperone"
                    + " is missing: name one of shellac-gateway, or remove the variable");
        }
        return words;
    }

    static List<String> list(String text) {
        return Arrays.stream(text.split(",", -1))
                .map(String::strip)
                .filter(word -> !word.isEmpty())
                .toList();
    }

    static Optional<System.Logger.Level> level(String text) {
        return switch (text.strip().toLowerCase(Locale.ROOT)) {
            case "debug" -> Optional.of(System.Logger.Level.DEBUG);
            case "", "info" -> Optional.of(System.Logger.Level.INFO);
            case "warn", "warning" -> Optional.of(System.Logger.Level.WARNING);
            case "error" -> Optional.of(System.Logger.Level.ERROR);
            default -> Optional.empty();
        };
    }

    /** The level in the word that a gateway pod of any age takes, whatever was written; an unknown one is info. */
    static String word(Optional<System.Logger.Level> level) {
        return switch (level.orElse(System.Logger.Level.INFO)) {
            case DEBUG -> "debug";
            case WARNING -> "warn";
            case ERROR -> "error";
            default -> "info";
        };
    }

    static boolean isYes(String setting, String text) throws Bad {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true", "1", "yes" -> true;
            case "", "false", "0", "no" -> false;
            default -> throw new Bad(setting + " is true or false, not " + text);
        };
    }
}
