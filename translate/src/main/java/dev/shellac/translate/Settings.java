package dev.shellac.translate;

import java.util.List;

/**
 * Who we are.
 *
 * @param controllerName the GatewayClasses that we answer for
 * @param supportedFeatures what a GatewayClass says we can do; only what is tested
 * @param missingParents whether a route that names a Gateway which is not there is told so by us
 */
public record Settings(String controllerName, List<String> supportedFeatures, MissingParents missingParents) {
    /** In a cluster with several controllers nobody knows whose Gateway it would have been. */
    public enum MissingParents {
        OURS,
        SOMEBODY_ELSES
    }

    public static final String CONTROLLER_NAME = "varnish-software.com/gateway";

    public Settings {
        supportedFeatures = supportedFeatures.stream().sorted().toList();
    }

    public static Settings alone() {
        return new Settings(CONTROLLER_NAME, List.of(), MissingParents.OURS);
    }

    public static Settings among() {
        return new Settings(CONTROLLER_NAME, List.of(), MissingParents.SOMEBODY_ELSES);
    }
}
