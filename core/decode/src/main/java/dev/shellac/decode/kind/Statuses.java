package dev.shellac.decode.kind;

import static dev.shellac.decode.schema.Schema.list;
import static dev.shellac.decode.schema.Schema.object;
import static dev.shellac.decode.schema.Schema.optional;
import static dev.shellac.decode.schema.Schema.required;
import static dev.shellac.decode.schema.Schema.text;
import static dev.shellac.decode.schema.Schema.whole;

import dev.shellac.decode.schema.Schema;
import dev.shellac.decode.schema.ValidObject;
import dev.shellac.model.GroupKind;
import dev.shellac.model.route.ParentRef;
import dev.shellac.model.status.Address;
import dev.shellac.model.status.CacheInvalidationStatus;
import dev.shellac.model.status.Condition;
import dev.shellac.model.status.ConditionSet;
import dev.shellac.model.status.GatewayClassStatus;
import dev.shellac.model.status.GatewayStatus;
import dev.shellac.model.status.ListenerSetStatus;
import dev.shellac.model.status.ListenerStatus;
import dev.shellac.model.status.PolicyStatus;
import dev.shellac.model.status.RouteStatus;
import java.util.List;

/** Status as it is read back: ours and that of others, which we must keep. */
final class Statuses {
    static final Schema.Items CONDITIONS = list(object(
                    required("type", text()),
                    required("status", text().oneOf("True", "False", "Unknown")),
                    optional("reason", text()),
                    optional("message", text()),
                    optional("observedGeneration", whole()),
                    optional("lastTransitionTime", text()))
            .open());
    private static final Schema.Items LISTENERS = list(object(
                    required("name", text()),
                    optional("attachedRoutes", whole()),
                    optional("conditions", CONDITIONS),
                    optional(
                            "supportedKinds",
                            list(object(optional("group", text()), required("kind", text()))
                                    .open())))
            .open());
    private static final Schema.Fields REFERENCE = object(
                    optional("group", text()),
                    optional("kind", text()),
                    optional("namespace", text()),
                    required("name", text()),
                    optional("sectionName", text()),
                    optional("port", Names.PORT))
            .open();

    static final Schema.Fields CLASS = object(
                    optional("conditions", CONDITIONS),
                    optional("supportedFeatures", list(object(required("name", text())))))
            .open();
    static final Schema.Fields GATEWAY = object(
                    optional(
                            "addresses",
                            list(object(optional("type", text()), required("value", text()))
                                    .open())),
                    optional("conditions", CONDITIONS),
                    optional("listeners", LISTENERS),
                    optional("attachedListenerSets", whole()))
            .open();
    static final Schema.Fields LISTENER_SET = object(
                    optional("conditions", CONDITIONS), optional("listeners", LISTENERS))
            .open();
    static final Schema.Fields ROUTE = object(optional(
                    "parents",
                    list(object(
                                    required("parentRef", REFERENCE),
                                    required("controllerName", text()),
                                    optional("conditions", CONDITIONS))
                            .open())))
            .open();
    static final Schema.Fields POLICY = object(optional(
                    "ancestors",
                    list(object(
                                    required("ancestorRef", REFERENCE),
                                    required("controllerName", text()),
                                    optional("conditions", CONDITIONS))
                            .open())))
            .open();

    private Statuses() {}

    static GatewayClassStatus ofClass(ValidObject object) {
        return new GatewayClassStatus(
                conditions(object),
                object.objects("supportedFeatures").stream()
                        .map(feature -> feature.text("name"))
                        .toList());
    }

    static GatewayStatus ofGateway(ValidObject object) {
        return new GatewayStatus(
                object.objects("addresses").stream()
                        .map(address ->
                                new Address(address.optionalText("type").orElse("IPAddress"), address.text("value")))
                        .toList(),
                conditions(object),
                listeners(object),
                object.optionalWhole("attachedListenerSets").orElse(0));
    }

    static ListenerSetStatus ofListenerSet(ValidObject object) {
        return new ListenerSetStatus(conditions(object), listeners(object));
    }

    static RouteStatus ofRoute(ValidObject object) {
        return new RouteStatus(object.objects("parents").stream()
                .map(parent -> new RouteStatus.Parent(
                        reference(parent.object("parentRef")), parent.text("controllerName"), conditions(parent)))
                .toList());
    }

    static PolicyStatus ofPolicy(ValidObject object) {
        return new PolicyStatus(object.objects("ancestors").stream()
                .map(ancestor -> new PolicyStatus.Ancestor(
                        reference(ancestor.object("ancestorRef")),
                        ancestor.text("controllerName"),
                        conditions(ancestor)))
                .toList());
    }

    static CacheInvalidationStatus ofInvalidation(ValidObject object) {
        return new CacheInvalidationStatus(object.optionalText("phase"), conditions(object));
    }

    private static List<ListenerStatus> listeners(ValidObject object) {
        return object.objects("listeners").stream()
                .map(listener -> new ListenerStatus(
                        listener.text("name"),
                        listener.optionalWhole("attachedRoutes").orElse(0),
                        conditions(listener),
                        listener.objects("supportedKinds").stream()
                                .map(kind -> new GroupKind(
                                        kind.optionalText("group").orElse(Names.GATEWAY_API), kind.text("kind")))
                                .toList()))
                .toList();
    }

    private static ConditionSet conditions(ValidObject object) {
        return new ConditionSet(
                object.objects("conditions").stream().map(Statuses::condition).toList());
    }

    private static Condition condition(ValidObject object) {
        return new Condition(
                object.text("type"),
                Names.constant(Condition.State.class, object.text("status")),
                object.optionalText("reason").orElse(""),
                object.optionalText("message").orElse(""),
                object.optionalLong("observedGeneration").orElse(0L),
                object.optionalText("lastTransitionTime"));
    }

    private static ParentRef reference(ValidObject object) {
        return new ParentRef(
                new GroupKind(
                        object.optionalText("group").orElse(Names.GATEWAY_API),
                        object.optionalText("kind").orElse("Gateway")),
                object.optionalText("namespace"),
                object.text("name"),
                object.optionalText("sectionName"),
                Names.port(object, "port"));
    }
}
