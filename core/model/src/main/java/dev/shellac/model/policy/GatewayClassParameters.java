package dev.shellac.model.policy;

import dev.shellac.model.Copies;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Metadata;
import dev.shellac.model.Name;
import dev.shellac.model.Network;
import dev.shellac.model.Resource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How the pods of a class look, and what stands around them. */
public record GatewayClassParameters(
        Metadata meta,
        Optional<String> image,
        Optional<UserVcl> userVcl,
        List<String> varnishdExtraArgs,
        Optional<Storage> storage,
        Optional<Logging> logging,
        Clients clients,
        Scale scale,
        ServiceSettings service,
        PodSettings pod,
        NetworkAccess network,
        Optional<Monitor> monitor)
        implements Resource {
    /** Where the user's VCL is: a key of a ConfigMap. */
    public record UserVcl(Name configMap, String key) {}

    /** The log sidecar. */
    public record Logging(String mode, Optional<String> format, List<String> extraArgs, Optional<String> image) {
        public Logging {
            extraArgs = List.copyOf(extraArgs);
        }
    }

    /** Where cached objects are kept; without a size, as much as the pod's memory has room for. */
    public record Storage(Kind kind, Optional<Long> bytes) {
        /** In memory, or in a file that is mapped into it. */
        public enum Kind {
            MALLOC,
            FILE
        }
    }

    /** Whether something is used. */
    public enum Use {
        ON,
        OFF
    }

    /**
     * How clients come in.
     *
     * @param http2 offered to clients of HTTPS listeners
     * @param trustedProxies networks whose {@code X-Forwarded-} headers are believed
     * @param proxyProtocol whether the load balancer says with PROXY protocol who the client is
     * @param proxyProtocolFrom networks from which it is accepted; none: from everywhere
     * @param mergeSlashes whether several slashes in a row of a path count as one
     * @param connections bounds on connections of HTTPS
     */
    public record Clients(
            Use http2,
            List<Network> trustedProxies,
            Use proxyProtocol,
            List<Network> proxyProtocolFrom,
            Use mergeSlashes,
            ConnectionLimits connections) {
        public static final Clients USUAL =
                new Clients(Use.ON, List.of(), Use.OFF, List.of(), Use.ON, ConnectionLimits.USUAL);

        public Clients {
            trustedProxies = List.copyOf(trustedProxies);
            proxyProtocolFrom = List.copyOf(proxyProtocolFrom);
        }

        /** Anybody who can connect may claim to be any client. */
        public boolean believesAnybody() {
            return proxyProtocol == Use.ON && proxyProtocolFrom.isEmpty();
        }
    }

    /** How many pods: a number, or between two of them; without either, whatever somebody else says. */
    public record Scale(Optional<Integer> replicas, Optional<Autoscaling> autoscaling) {
        public static final Scale FREE = new Scale(Optional.empty(), Optional.empty());
    }

    /** Between two numbers of pods, by the CPU that they use of what they asked for. */
    public record Autoscaling(int minReplicas, int maxReplicas, int targetCpuPercent) {}

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

    /**
     * What goes into the pods.
     *
     * @param memoryLimit of the gateway container, in bytes
     * @param parts pieces of Kubernetes' own types ({@code extraVolumes}, {@code resources}…) as canonical JSON, by field
     */
    public record PodSettings(
            Map<String, String> labels,
            Map<String, String> annotations,
            Map<String, String> nodeSelector,
            Optional<String> priorityClass,
            Optional<Long> memoryLimit,
            Map<String, String> parts) {
        public static final PodSettings NONE =
                new PodSettings(Map.of(), Map.of(), Map.of(), Optional.empty(), Optional.empty(), Map.of());

        public PodSettings {
            labels = Copies.of(labels);
            annotations = Copies.of(annotations);
            nodeSelector = Copies.of(nodeSelector);
            parts = Copies.of(parts);
        }
    }

    /**
     * Who may connect to the pods.
     *
     * @param policy whether a NetworkPolicy restricts it; where it is left out, the operator decides
     * @param metricsNamespaces namespaces whose pods may read metrics; where there are none, the operator decides
     */
    public record NetworkAccess(Optional<Use> policy, List<String> metricsNamespaces) {
        public static final NetworkAccess USUAL = new NetworkAccess(Optional.empty(), List.of());

        public NetworkAccess {
            metricsNamespaces = List.copyOf(metricsNamespaces);
        }
    }

    /** A ServiceMonitor for the metrics of the pods. */
    public record Monitor(Optional<String> interval, Map<String, String> labels) {
        public Monitor {
            labels = Copies.of(labels);
        }
    }

    public GatewayClassParameters {
        varnishdExtraArgs = List.copyOf(varnishdExtraArgs);
    }

    @Override
    public GroupKind type() {
        return GroupKind.GATEWAY_CLASS_PARAMETERS;
    }
}
