package dev.shellac.model.policy;

import dev.shellac.model.Copies;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Metadata;
import dev.shellac.model.Name;
import dev.shellac.model.Resource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How the pods of a class look.
 *
 * @param podParts pieces of Kubernetes' own types ({@code extraVolumes}, {@code resources}…) as canonical JSON, by field
 */
public record GatewayClassParameters(
        Metadata meta,
        Optional<String> image,
        Optional<UserVcl> userVcl,
        List<String> varnishdExtraArgs,
        Optional<Logging> logging,
        ServiceSettings service,
        Map<String, String> podParts)
        implements Resource {
    /** Where the user's VCL is: a key of a ConfigMap. */
    public record UserVcl(Name configMap, String key) {}

    /** The log sidecar. */
    public record Logging(String mode, Optional<String> format, List<String> extraArgs, Optional<String> image) {
        public Logging {
            extraArgs = List.copyOf(extraArgs);
        }
    }

    /** The Service in front of the pods. */
    public record ServiceSettings(
            Optional<String> serviceType,
            Map<String, String> annotations,
            Map<String, String> labels,
            Optional<String> loadBalancerClass,
            List<String> sourceRanges,
            Optional<String> externalTrafficPolicy) {
        public static final ServiceSettings NONE = new ServiceSettings(
                Optional.empty(), Map.of(), Map.of(), Optional.empty(), List.of(), Optional.empty());

        public ServiceSettings {
            annotations = Copies.of(annotations);
            labels = Copies.of(labels);
            sourceRanges = List.copyOf(sourceRanges);
        }
    }

    public GatewayClassParameters {
        varnishdExtraArgs = List.copyOf(varnishdExtraArgs);
        podParts = Copies.of(podParts);
    }

    @Override
    public GroupKind type() {
        return GroupKind.GATEWAY_CLASS_PARAMETERS;
    }
}
