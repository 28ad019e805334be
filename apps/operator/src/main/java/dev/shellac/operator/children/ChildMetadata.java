package dev.shellac.operator.children;

import dev.shellac.model.gateway.Gateway;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.Map;
import java.util.TreeMap;

/** What all objects of a Gateway carry: our labels, the labels and annotations of its infrastructure, and whose they are. */
record ChildMetadata(Gateway gateway) {
    private static final String API = "gateway.networking.k8s.io/v1";

    /** For an object in the Gateway's namespace, which goes with the Gateway. */
    ObjectMeta meta(String name) {
        return meta(name, Map.of(), Map.of());
    }

    /** The same, with labels and annotations before which those of the infrastructure go. */
    ObjectMeta meta(String name, Map<String, String> moreLabels, Map<String, String> moreAnnotations) {
        return new ObjectMetaBuilder()
                .withName(name)
                .withNamespace(gateway.meta().name().namespace())
                .withLabels(labels(moreLabels))
                .withAnnotations(annotations(moreAnnotations))
                .addNewOwnerReference()
                .withApiVersion(API)
                .withKind("Gateway")
                .withName(gateway.meta().name().name())
                .withUid(gateway.meta().uid())
                .withController(true)
                .withBlockOwnerDeletion(true)
                .endOwnerReference()
                .build();
    }

    /** For an object in another namespace, which nobody deletes but us. */
    ObjectMeta foreign(String name, String namespace) {
        return new ObjectMetaBuilder()
                .withName(name)
                .withNamespace(namespace)
                .withLabels(labels(Map.of()))
                .withAnnotations(identified())
                .build();
    }

    // Behind those of the infrastructure, which must not make somebody else the owner.
    private Map<String, String> identified() {
        var annotations = new TreeMap<>(annotations(Map.of()));
        annotations.put(Labels.GATEWAY, gateway.meta().name().toString());
        annotations.put(Labels.GATEWAY_UID, gateway.meta().uid());
        return annotations;
    }

    /** What tells the pods of this Gateway; it never changes. */
    Map<String, String> selector() {
        var labels = new TreeMap<String, String>();
        labels.put(Labels.MANAGED_BY, Labels.OPERATOR);
        labels.put(Labels.GATEWAY_NAME, new Names(gateway.meta().name()).labelValue());
        labels.put(Labels.GATEWAY_NAMESPACE, gateway.meta().name().namespace());
        return labels;
    }

    Map<String, String> labels(Map<String, String> more) {
        var labels = new TreeMap<>(more);
        labels.putAll(gateway.infrastructure().labels());
        labels.putAll(selector());
        return labels;
    }

    Map<String, String> annotations(Map<String, String> more) {
        var annotations = new TreeMap<>(more);
        annotations.putAll(gateway.infrastructure().annotations());
        return annotations;
    }
}
