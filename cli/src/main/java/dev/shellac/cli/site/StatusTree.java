package dev.shellac.cli.site;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.route.ParentRef;
import dev.shellac.model.status.Condition;
import dev.shellac.model.status.ConditionSet;
import dev.shellac.model.status.GatewayStatus;
import dev.shellac.model.status.ListenerStatus;
import dev.shellac.model.status.PolicyStatus;
import dev.shellac.translate.status.Statuses;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Statuses as Gateway API writes them, an object each. */
public final class StatusTree {
    private static final String GATEWAY_API = "gateway.networking.k8s.io/v1";

    private final List<Map<String, Object>> objects = new ArrayList<>();

    private StatusTree() {}

    public static List<Map<String, Object>> of(Statuses statuses) {
        var tree = new StatusTree();
        tree.add(GATEWAY_API, GroupKind.GATEWAY_CLASS, statuses.gatewayClasses(), status -> {
            Map<String, Object> fields = conditions(status.conditions());
            if (!status.supportedFeatures().isEmpty()) {
                fields.put(
                        "supportedFeatures",
                        status.supportedFeatures().stream()
                                .map(name -> Map.of("name", name))
                                .toList());
            }
            return fields;
        });
        tree.add(GATEWAY_API, GroupKind.GATEWAY, statuses.gateways(), StatusTree::gateway);
        tree.add(GATEWAY_API, GroupKind.LISTENER_SET, statuses.listenerSets(), status -> {
            Map<String, Object> fields = conditions(status.conditions());
            fields.put("listeners", listeners(status.listeners()));
            return fields;
        });
        tree.add(
                GATEWAY_API,
                GroupKind.HTTP_ROUTE,
                statuses.httpRoutes(),
                status -> new LinkedHashMap<>(Map.of(
                        "parents",
                        status.parents().stream()
                                .map(parent -> said(
                                        "parentRef", parent.parentRef(), parent.controllerName(), parent.conditions()))
                                .toList())));
        tree.add(GATEWAY_API, GroupKind.BACKEND_TLS_POLICY, statuses.backendTlsPolicies(), StatusTree::policy);
        tree.add(
                GroupKind.CACHE_POLICY.group() + "/v1alpha1",
                GroupKind.CACHE_POLICY,
                statuses.cachePolicies(),
                StatusTree::policy);
        return tree.objects;
    }

    private <T> void add(
            String version, GroupKind type, Map<Name, T> statuses, Function<T, Map<String, Object>> fields) {
        statuses.forEach((name, status) -> {
            var meta = new LinkedHashMap<String, Object>();
            if (!name.namespace().isEmpty()) {
                meta.put("namespace", name.namespace());
            }
            meta.put("name", name.name());
            var object = new LinkedHashMap<String, Object>();
            object.put("apiVersion", version);
            object.put("kind", type.kind());
            object.put("metadata", meta);
            object.put("status", fields.apply(status));
            objects.add(object);
        });
    }

    private static Map<String, Object> gateway(GatewayStatus status) {
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

    private static Map<String, Object> policy(PolicyStatus status) {
        return new LinkedHashMap<>(Map.of(
                "ancestors",
                status.ancestors().stream()
                        .map(ancestor -> said(
                                "ancestorRef",
                                ancestor.ancestorRef(),
                                ancestor.controllerName(),
                                ancestor.conditions()))
                        .toList()));
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
                conditions.conditions().stream().map(StatusTree::condition).toList());
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
