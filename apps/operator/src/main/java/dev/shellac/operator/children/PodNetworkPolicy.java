package dev.shellac.operator.children;

import dev.shellac.model.policy.GatewayClassParameters.NetworkAccess;
import dev.shellac.model.policy.GatewayClassParameters.Use;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeer;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeerBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPort;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPortBuilder;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Who may connect to the pods of a Gateway. Everybody reaches every port that a Service can lead to, now or later, so that a new listener waits for no
 * policy. Port 8081 is for the operator and for those who read metrics. The kubelet's probes need no rule: a policy never applies to the node of a pod.
 */
final class PodNetworkPolicy {
    private static final String NAMESPACE_NAME = "kubernetes.io/metadata.name";
    private static final int LAST_PORT = 65_535;

    private PodNetworkPolicy() {}

    static Optional<NetworkPolicy> of(DeploymentInput input) {
        Platform.Access platform = input.platform().access();
        NetworkAccess own = input.network();
        if (own.policy().orElse(platform.policy()) == Use.OFF) {
            return Optional.empty();
        }
        List<String> scrapers =
                own.metricsNamespaces().isEmpty() ? platform.metricsNamespaces() : own.metricsNamespaces();
        return Optional.of(new NetworkPolicyBuilder()
                .withMetadata(input.metadata().meta(input.names().base()))
                .withNewSpec()
                .withNewPodSelector()
                .withMatchLabels(input.metadata().selector())
                .endPodSelector()
                .withPolicyTypes("Ingress")
                .addNewIngress()
                .withPorts(traffic(input.ports()))
                .endIngress()
                .addNewIngress()
                .withPorts(port(GatewayDeployment.HEALTH_PORT))
                .withFrom(named(List.of(platform.operator())), scrapers.isEmpty() ? anyNamespace() : named(scrapers))
                .endIngress()
                .endSpec()
                .build());
    }

    // A network plugin that does not know endPort takes the first port alone: it is given those in use one by one, too.
    private static List<NetworkPolicyPort> traffic(ListenerPorts ports) {
        NetworkPolicyPort all = new NetworkPolicyPortBuilder(port(ListenerPorts.FIRST_PORT))
                .withEndPort(LAST_PORT)
                .build();
        return Stream.concat(
                        Stream.of(all),
                        ports.mapped().stream()
                                .map(mapped -> port(mapped.target().value())))
                .toList();
    }

    private static NetworkPolicyPort port(int number) {
        return new NetworkPolicyPortBuilder()
                .withProtocol("TCP")
                .withPort(new IntOrString(number))
                .build();
    }

    private static NetworkPolicyPeer named(List<String> namespaces) {
        return new NetworkPolicyPeerBuilder()
                .withNewNamespaceSelector()
                .addNewMatchExpression()
                .withKey(NAMESPACE_NAME)
                .withOperator("In")
                .withValues(namespaces)
                .endMatchExpression()
                .endNamespaceSelector()
                .build();
    }

    private static NetworkPolicyPeer anyNamespace() {
        return new NetworkPolicyPeerBuilder()
                .withNamespaceSelector(new LabelSelectorBuilder().build())
                .build();
    }
}
