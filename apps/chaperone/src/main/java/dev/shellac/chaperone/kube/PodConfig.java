package dev.shellac.chaperone.kube;

import java.util.Optional;

/**
 * What the Gateway's ConfigMap says.
 *
 * @param version its resourceVersion, without that of the changes
 * @param routing routing.json, whatever form it came in, with the changes since; nothing where there is none or it cannot be put together
 * @param vcl main.vcl
 * @param goodVcl main.vcl.good, the last that pods took, while some refuse main.vcl
 * @param haproxy haproxy.cfg; nothing where no listener has TLS
 * @param fault why there is no routing
 */
public record PodConfig(
        String version,
        Optional<RoutingFile> routing,
        Optional<String> vcl,
        Optional<String> goodVcl,
        Optional<String> haproxy,
        Optional<String> fault) {
    PodConfig with(Optional<RoutingFile> other) {
        return new PodConfig(version, other, vcl, goodVcl, haproxy, fault);
    }
}
