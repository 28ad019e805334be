package dev.shellac.operator.children;

import java.util.List;

/**
 * What the operator was told about all gateway pods.
 *
 * @param image of pods whose parameters name none
 * @param pullSecrets names of Secrets in the Gateway's namespace
 * @param logLevel of the chaperone
 */
public record Platform(String image, List<String> pullSecrets, String logLevel) {
    public Platform {
        pullSecrets = List.copyOf(pullSecrets);
    }
}
