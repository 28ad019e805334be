package dev.shellac.operator.children;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.shellac.model.policy.GatewayClassParameters.PodSettings;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraint;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The pieces of Kubernetes' own types that parameters hold, as those types. */
record PodParts(Map<String, String> json) {
    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();

    static PodParts of(PodSettings settings) {
        return new PodParts(settings.parts());
    }

    List<Volume> volumes() {
        return read("extraVolumes", new TypeReference<List<Volume>>() {}).orElse(List.of());
    }

    List<VolumeMount> mounts() {
        return read("extraVolumeMounts", new TypeReference<List<VolumeMount>>() {})
                .orElse(List.of());
    }

    List<Container> initContainers() {
        return read("extraInitContainers", new TypeReference<List<Container>>() {})
                .orElse(List.of());
    }

    List<EnvVar> environment() {
        return read("extraEnv", new TypeReference<List<EnvVar>>() {}).orElse(List.of());
    }

    List<Toleration> tolerations() {
        return read("tolerations", new TypeReference<List<Toleration>>() {}).orElse(List.of());
    }

    List<TopologySpreadConstraint> spread() {
        return read("topologySpreadConstraints", new TypeReference<List<TopologySpreadConstraint>>() {})
                .orElse(List.of());
    }

    Optional<Affinity> affinity() {
        return read("affinity", new TypeReference<Affinity>() {});
    }

    Optional<ResourceRequirements> resources() {
        return read("resources", new TypeReference<ResourceRequirements>() {});
    }

    Optional<PodDisruptionBudgetSpec> disruption() {
        return read("podDisruptionBudget", new TypeReference<PodDisruptionBudgetSpec>() {});
    }

    private <T> Optional<T> read(String part, TypeReference<T> type) {
        String text = json.get(part);
        if (text == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(MAPPER.readValue(text, type));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "spec." + part + " of the parameters is not what Kubernetes takes: " + e.getOriginalMessage(), e);
        }
    }

    /** The same bytes for the same object. */
    static byte[] canonical(Object object) {
        try {
            return MAPPER.writeValueAsBytes(object);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an object that was built can be written", e);
        }
    }
}
