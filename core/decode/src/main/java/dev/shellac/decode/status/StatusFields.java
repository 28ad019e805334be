package dev.shellac.decode.status;

import dev.shellac.model.route.ParentRef;
import dev.shellac.model.status.CacheInvalidationStatus;
import dev.shellac.model.status.Condition;
import dev.shellac.model.status.ConditionSet;
import dev.shellac.model.status.GatewayClassStatus;
import dev.shellac.model.status.GatewayStatus;
import dev.shellac.model.status.ListenerSetStatus;
import dev.shellac.model.status.ListenerStatus;
import dev.shellac.model.status.PolicyStatus;
import dev.shellac.model.status.RouteStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A status as the fields of the API, in the order in which a person reads them. */
public final class StatusFields {
    private StatusFields() {}

    public static Map<String, Object> of(GatewayClassStatus status) {
        Map<String, Object> fields = conditions(status.conditions());
        if (!status.supportedFeatures().isEmpty()) {
            fields.put(
                    "supportedFeatures",
                    status.supportedFeatures().stream()
                            .map(name -> Map.of("name", name))
                            .toList());
        }
        return fields;
    }

    public static Map<String, Object> of(CacheInvalidationStatus status) {
        var fields = new LinkedHashMap<String, Object>();
        status.phase().ifPresent(phase -> fields.put("phase", phase));
        fields.putAll(conditions(status.conditions()));
        return fields;
    }

    public static Map<String, Object> of(GatewayStatus status) {
        var fields = new LinkedHashMap<String, Object>();
        if (!status.addresses().isEmpty()) {
            fields.put(
                    "addresses",
                    status.addresses().stream()
                            .map(address -> ordered("type", address.type(), "value", address.value()))
                            .toList());
        }
        if (status.attachedListenerSets() > 0) {
            fields.put("attachedListenerSets", status.attachedListenerSets());
        }
        fields.putAll(conditions(status.conditions()));
        fields.put("listeners", listeners(status.listeners()));
        return fields;
    }

    public static Map<String, Object> of(ListenerSetStatus status) {
        Map<String, Object> fields = conditions(status.conditions());
        fields.put("listeners", listeners(status.listeners()));
        return fields;
    }

    public static Map<String, Object> of(RouteStatus status) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put(
                "parents",
                status.parents().stream()
                        .map(parent ->
                                said("parentRef", parent.parentRef(), parent.controllerName(), parent.conditions()))
                        .toList());
        return fields;
    }

    public static Map<String, Object> of(PolicyStatus status) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put(
                "ancestors",
                status.ancestors().stream()
                        .map(ancestor -> said(
                                "ancestorRef",
                                ancestor.ancestorRef(),
                                ancestor.controllerName(),
                                ancestor.conditions()))
                        .toList());
        return fields;
    }

    private static List<Map<String, Object>> listeners(List<ListenerStatus> listeners) {
        return listeners.stream()
                .map(listener -> {
                    Map<String, Object> fields = ordered("name", listener.name());
                    fields.put("attachedRoutes", listener.attachedRoutes());
                    fields.put(
                            "supportedKinds",
                            listener.supportedKinds().stream()
                                    .map(kind -> ordered("group", kind.group(), "kind", kind.kind()))
                                    .toList());
                    fields.putAll(conditions(listener.conditions()));
                    return fields;
                })
                .toList();
    }

    private static Map<String, Object> said(String field, ParentRef ref, String controller, ConditionSet conditions) {
        Map<String, Object> target =
                ordered("group", ref.type().group(), "kind", ref.type().kind());
        ref.namespace().ifPresent(namespace -> target.put("namespace", namespace));
        target.put("name", ref.name());
        ref.sectionName().ifPresent(section -> target.put("sectionName", section));
        ref.port().ifPresent(port -> target.put("port", port.value()));
        var fields = new LinkedHashMap<String, Object>();
        fields.put(field, target);
        fields.put("controllerName", controller);
        fields.putAll(conditions(conditions));
        return fields;
    }

    private static Map<String, Object> conditions(ConditionSet conditions) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put(
                "conditions",
                conditions.conditions().stream().map(StatusFields::condition).toList());
        return fields;
    }

    private static Map<String, Object> condition(Condition condition) {
        Map<String, Object> fields =
                ordered("type", condition.type(), "status", condition.state().toString());
        fields.put("reason", condition.reason());
        fields.put("message", condition.message());
        if (condition.observedGeneration() > 0) {
            fields.put("observedGeneration", condition.observedGeneration());
        }
        condition.since().ifPresent(since -> fields.put("lastTransitionTime", since));
        return fields;
    }

    private static Map<String, Object> ordered(String... namesAndValues) {
        var fields = new LinkedHashMap<String, Object>();
        for (int i = 0; i + 1 < namesAndValues.length; i += 2) {
            fields.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return fields;
    }
}
