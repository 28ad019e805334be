package dev.shellac.operator.children;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyIngressRule;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeer;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPort;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Who can connect to a pod by the NetworkPolicies of its namespace, computed by the rules of the API (networking.k8s.io/v1): a pod that no policy selects
 * takes everything; one that some select takes what any of them lets in; the node of a pod is always let in.
 */
record Reachability(Pod target, List<NetworkPolicy> policies) {
    /** A pod, with the name of its namespace. */
    record Pod(String namespace, Map<String, String> labels) {
        Pod {
            labels = Map.copyOf(labels);
        }
    }

    /** Where a connection comes from: a pod, the node of the target, or an address outside of the cluster. */
    sealed interface Source {
        /** A pod of the cluster. */
        record OfPod(Pod pod) implements Source {}

        /** The node that the target runs on. */
        record OwnNode() implements Source {}

        /** A client from elsewhere. */
        record Outside() implements Source {}
    }

    Reachability {
        policies = List.copyOf(policies);
    }

    boolean lets(Source source, int port) {
        List<NetworkPolicy> own = policies.stream().filter(this::selects).toList();
        return own.isEmpty()
                || source instanceof Source.OwnNode
                || own.stream()
                        .flatMap(policy -> policy.getSpec().getIngress().stream())
                        .anyMatch(rule -> isFrom(rule, source) && isTo(rule, port));
    }

    /** Each source with the ports that it reaches, neighbours as one range. */
    String table(Map<String, Source> sources, List<Integer> ports) {
        return sources.entrySet().stream()
                .map(source -> source.getKey() + ": " + ports(source.getValue(), ports))
                .collect(Collectors.joining("\n", "", "\n"));
    }

    private String ports(Source source, List<Integer> ports) {
        String reached = ports.stream()
                .filter(port -> lets(source, port))
                .map(String::valueOf)
                .collect(Collectors.joining(" "));
        return reached.isEmpty() ? "nothing" : reached;
    }

    private boolean selects(NetworkPolicy policy) {
        return policy.getMetadata().getNamespace().equals(target.namespace())
                && policy.getSpec().getPolicyTypes().contains("Ingress")
                && matches(policy.getSpec().getPodSelector(), target.labels());
    }

    private static boolean isTo(NetworkPolicyIngressRule rule, int port) {
        return rule.getPorts().isEmpty() || rule.getPorts().stream().anyMatch(one -> covers(one, port));
    }

    private static boolean covers(NetworkPolicyPort rule, int port) {
        int first = rule.getPort().getIntVal();
        int last = Optional.ofNullable(rule.getEndPort()).orElse(first);
        return rule.getProtocol().equals("TCP")
                && IntStream.rangeClosed(first, last).anyMatch(one -> one == port);
    }

    private boolean isFrom(NetworkPolicyIngressRule rule, Source source) {
        return rule.getFrom().isEmpty() || rule.getFrom().stream().anyMatch(peer -> names(peer, source));
    }

    private boolean names(NetworkPolicyPeer peer, Source source) {
        if (!(source instanceof Source.OfPod from) || peer.getIpBlock() != null) {
            return false;
        }
        boolean inNamespace = peer.getNamespaceSelector() == null
                ? from.pod().namespace().equals(target.namespace())
                : matches(
                        peer.getNamespaceSelector(),
                        Map.of("kubernetes.io/metadata.name", from.pod().namespace()));
        return inNamespace
                && (peer.getPodSelector() == null
                        || matches(peer.getPodSelector(), from.pod().labels()));
    }

    private static boolean matches(LabelSelector selector, Map<String, String> labels) {
        return labels.entrySet().containsAll(selector.getMatchLabels().entrySet())
                && selector.getMatchExpressions().stream().allMatch(expression -> matches(expression, labels));
    }

    private static boolean matches(LabelSelectorRequirement expression, Map<String, String> labels) {
        if (!expression.getOperator().equals("In")) {
            throw new IllegalArgumentException(expression.getOperator() + " is not known here");
        }
        return expression.getValues().contains(labels.getOrDefault(expression.getKey(), ""));
    }
}
