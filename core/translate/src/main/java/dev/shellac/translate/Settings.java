package dev.shellac.translate;

import java.util.List;

/**
 * Who we are.
 *
 * @param controllerName the GatewayClasses that we answer for
 * @param supportedFeatures what a GatewayClass says we can do; only what is tested
 * @param missingParents whether a route that names a Gateway which is not there is told so by us
 * @param tls whether the data plane terminates TLS
 * @param upstream what it speaks to backends
 */
public record Settings(
        String controllerName,
        List<String> supportedFeatures,
        MissingParents missingParents,
        Tls tls,
        Upstream upstream) {
    /** In a cluster with several controllers nobody knows whose Gateway it would have been. */
    public enum MissingParents {
        OURS,
        SOMEBODY_ELSES
    }

    /** Whether HTTPS listeners are served. */
    public enum Tls {
        TERMINATED,
        /** A varnishd by itself speaks HTTP. */
        NOT_TERMINATED
    }

    /** What is spoken to backends. */
    public enum Upstream {
        PLAIN,
        /** Also TLS, where a policy asks for it. No data plane of ours does yet. */
        TLS
    }

    public static final String CONTROLLER_NAME = "varnish-software.com/gateway";

    public Settings {
        supportedFeatures = supportedFeatures.stream().sorted().toList();
    }

    /** Who terminates TLS. */
    public Settings(String controllerName, List<String> supportedFeatures, MissingParents missingParents) {
        this(controllerName, supportedFeatures, missingParents, Tls.TERMINATED, Upstream.PLAIN);
    }

    /** Whether pods serve, whose memory has room for so many routes. */
    boolean isInPods() {
        return tls == Tls.TERMINATED;
    }

    /** For a data plane that speaks TLS to backends. */
    public Settings withTlsUpstream() {
        return new Settings(controllerName, supportedFeatures, missingParents, tls, Upstream.TLS);
    }

    public static Settings alone() {
        return new Settings(CONTROLLER_NAME, List.of(), MissingParents.OURS);
    }

    /** Alone, on a host without a cluster. */
    public static Settings onHost() {
        return new Settings(CONTROLLER_NAME, List.of(), MissingParents.OURS, Tls.NOT_TERMINATED, Upstream.PLAIN);
    }

    public static Settings among() {
        return new Settings(CONTROLLER_NAME, List.of(), MissingParents.SOMEBODY_ELSES);
    }
}
