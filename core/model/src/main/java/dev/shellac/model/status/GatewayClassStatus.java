package dev.shellac.model.status;

import java.util.List;

/** Status of a GatewayClass. */
public record GatewayClassStatus(ConditionSet conditions, List<String> supportedFeatures) {
    public static final GatewayClassStatus NONE = new GatewayClassStatus(ConditionSet.NONE, List.of());

    public GatewayClassStatus {
        supportedFeatures = List.copyOf(supportedFeatures);
    }
}
