package dev.shellac.operator.children;

import dev.shellac.model.policy.GatewayClassParameters.Use;
import java.util.List;

/**
 * What the operator was told about all gateway pods.
 *
 * @param image of pods whose parameters name none
 * @param pullSecrets names of Secrets in the Gateway's namespace
 * @param logLevel of the chaperone
 * @param access who may connect to pods whose parameters do not say it
 */
public record Platform(String image, List<String> pullSecrets, String logLevel, Access access) {
    /**
     * Who may connect to pods.
     *
     * @param policy whether a NetworkPolicy restricts it
     * @param operator the namespace of the operator
     * @param metricsNamespaces those that may read metrics; none for any namespace
     */
    public record Access(Use policy, String operator, List<String> metricsNamespaces) {
        public Access {
            metricsNamespaces = List.copyOf(metricsNamespaces);
        }
    }

    public Platform {
        pullSecrets = List.copyOf(pullSecrets);
    }
}
