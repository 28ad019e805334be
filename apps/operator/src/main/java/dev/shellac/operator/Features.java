package dev.shellac.operator;

import dev.shellac.translate.Settings;
import java.util.List;

/** What a GatewayClass says we can do: exactly what the official suite has been run for. */
final class Features {
    private static final List<String> PROVEN = List.of("Gateway", "HTTPRoute", "ReferenceGrant");

    private Features() {}

    static Settings settings() {
        return new Settings(Settings.CONTROLLER_NAME, PROVEN, Settings.MissingParents.SOMEBODY_ELSES);
    }
}
