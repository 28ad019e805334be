package dev.shellac.varnishconfig.edge;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.model.Port;
import dev.shellac.model.ResourceId;
import dev.shellac.varnishconfig.wire.Digest;
import java.util.regex.Pattern;

/**
 * The files of the bundle. They are keys of a Secret, so at most 253 characters of a few kinds; and they stand in HAProxy's
 * configuration, where a space would begin the next word.
 */
final class EdgeNames {
    private static final Pattern PLAIN = Pattern.compile("[a-z0-9]([-a-z0-9.]*[a-z0-9])?");
    private static final int MOST_CHARACTERS = 253;
    private static final String PEM = ".pem";

    private EdgeNames() {}

    /** Which certificate is for which server name, on a port. */
    static String list(Port port) {
        return "port-" + port.value() + ".list";
    }

    /** Whose client certificates are taken, on a port. */
    static String authorities(Port port) {
        return "port-" + port.value() + ".ca";
    }

    // A namespace has no dot, so no two Secrets share a name.
    static String pem(ResourceId secret) {
        String name = secret.namespace() + "." + secret.name().name() + PEM;
        boolean plain = PLAIN.matcher(secret.namespace()).matches()
                && !secret.namespace().contains(".")
                && PLAIN.matcher(secret.name().name()).matches();
        return plain && name.length() <= MOST_CHARACTERS
                ? name
                : "sha256-"
                        + Digest.of((secret.namespace() + "/" + secret.name().name()).getBytes(UTF_8)) + PEM;
    }
}
