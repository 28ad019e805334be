package dev.shellac.decode.kind;

import static dev.shellac.decode.shape.Shape.list;
import static dev.shellac.decode.shape.Shape.object;
import static dev.shellac.decode.shape.Shape.optional;
import static dev.shellac.decode.shape.Shape.required;
import static dev.shellac.decode.shape.Shape.text;
import static dev.shellac.decode.shape.Shape.whole;

import dev.shellac.decode.shape.Shape;
import dev.shellac.decode.shape.View;
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
    static final Shape.Items CONDITIONS = list(object(
                    required("type", text()),
                    required("status", text().oneOf("True", "False", "Unknown")),
                    optional("reason", text()),
                    optional("message", text()),
                    optional("observedGeneration", whole()),
                    optional("lastTransitionTime", text()))
            .open());
    private static final Shape.Items LISTENERS = list(object(
                    required("name", text()),
                    optional("attachedRoutes", whole()),
                    optional("conditions", CONDITIONS),
                    optional(
                            "supportedKinds",
                            list(object(optional("group", text()), required("kind", text()))
                                    .open())))
            .open());
    private static final Shape.Fields REFERENCE = object(
                    optional("group", text()),
                    optional("kind", text()),
                    optional("namespace", text()),
                    required("name", text()),
                    optional("sectionName", text()),
                    optional("port", Names.PORT))
            .open();

    static final Shape.Fields CLASS = object(
                    optional("conditions", CONDITIONS),
                    optional("supportedFeatures", list(object(required("name", text())))))
            .open();
    static final Shape.Fields GATEWAY = object(
                    optional(
                            "addresses",
                            list(object(optional("type", text()), required("value", text()))
                                    .open())),
                    optional("conditions", CONDITIONS),
                    optional("listeners", LISTENERS),
                    optional("attachedListenerSets", whole()))
            .open();
    static final Shape.Fields LISTENER_SET = object(
                    optional("conditions", CONDITIONS), optional("listeners", LISTENERS))
            .open();
    static final Shape.Fields ROUTE = object(optional(
                    "parents",
                    list(object(
                                    required("parentRef", REFERENCE),
                                    required("controllerName", text()),
                                    optional("conditions", CONDITIONS))
                            .open())))
            .open();
    static final Shape.Fields POLICY = object(optional(
                    "ancestors",
                    list(object(
                                    required("ancestorRef", REFERENCE),
                                    required("controllerName", text()),
                                    optional("conditions", CONDITIONS))
                            .open())))
            .open();

    private Statuses() {}

    static GatewayClassStatus ofClass(View view) {
        return new GatewayClassStatus(
                conditions(view),
                view.objects("supportedFeatures").stream()
                        .map(feature -> feature.text("name"))
                        .toList());
    }

    static GatewayStatus ofGateway(View view) {
        return new GatewayStatus(
                view.objects("addresses").stream()
                        .map(address ->
                                new Address(address.optionalText("type").orElse("IPAddress"), address.text("value")))
                        .toList(),
                conditions(view),
                listeners(view),
                view.optionalWhole("attachedListenerSets").orElse(0));
    }

    static ListenerSetStatus ofListenerSet(View view) {
        return new ListenerSetStatus(conditions(view), listeners(view));
    }

    static RouteStatus ofRoute(View view) {
        return new RouteStatus(view.objects("parents").stream()
                .map(parent -> new RouteStatus.Parent(
                        reference(parent.object("parentRef")), parent.text("controllerName"), conditions(parent)))
                .toList());
    }

    static PolicyStatus ofPolicy(View view) {
        return new PolicyStatus(view.objects("ancestors").stream()
                .map(ancestor -> new PolicyStatus.Ancestor(
                        reference(ancestor.object("ancestorRef")),
                        ancestor.text("controllerName"),
                        conditions(ancestor)))
                .toList());
    }

    static CacheInvalidationStatus ofInvalidation(View view) {
        return new CacheInvalidationStatus(view.optionalText("phase"), conditions(view));
    }

    private static List<ListenerStatus> listeners(View view) {
        return view.objects("listeners").stream()
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

    private static ConditionSet conditions(View view) {
        return new ConditionSet(
                view.objects("conditions").stream().map(Statuses::condition).toList());
    }

    private static Condition condition(View view) {
        return new Condition(
                view.text("type"),
                Names.constant(Condition.State.class, view.text("status")),
                view.optionalText("reason").orElse(""),
                view.optionalText("message").orElse(""),
                view.optionalLong("observedGeneration").orElse(0L),
                view.optionalText("lastTransitionTime"));
    }

    private static ParentRef reference(View view) {
        return new ParentRef(
                new GroupKind(
                        view.optionalText("group").orElse(Names.GATEWAY_API),
                        view.optionalText("kind").orElse("Gateway")),
                view.optionalText("namespace"),
                view.text("name"),
                view.optionalText("sectionName"),
                Names.port(view, "port"));
    }
}
