package dev.shellac.decode.kind;

import static dev.shellac.decode.schema.Schema.defaulted;
import static dev.shellac.decode.schema.Schema.list;
import static dev.shellac.decode.schema.Schema.object;
import static dev.shellac.decode.schema.Schema.optional;
import static dev.shellac.decode.schema.Schema.required;
import static dev.shellac.decode.schema.Schema.table;
import static dev.shellac.decode.schema.Schema.text;

import dev.shellac.decode.schema.Schema;
import dev.shellac.decode.schema.ValidObject;
import dev.shellac.model.Hostname;
import dev.shellac.model.LabelSelector;
import dev.shellac.model.Port;
import dev.shellac.model.gateway.AllowedRoutes;
import dev.shellac.model.gateway.Listener;
import dev.shellac.model.gateway.ListenerTls;
import dev.shellac.model.gateway.NamespacePolicy;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Listeners, which a Gateway and a ListenerSet write alike. */
final class Listeners {
    private static final Set<String> WITHOUT_TLS = Set.of("HTTP", "TCP", "UDP");
    private static final Set<String> WITHOUT_HOSTNAME = Set.of("TCP", "UDP");
    private static final Schema.Text PROTOCOL = text().length(1, 255)
            .matching(Names.pattern(
                    "^[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?$|" + Names.SUBDOMAIN + "\\/[A-Za-z0-9]+$", "a protocol"));
    static final Schema.Table TLS_OPTIONS = table(text().length(0, 4096)).most(16);

    private static final Schema.Fields TLS = object(
                    defaulted("mode", text().oneOf("Terminate", "Passthrough"), "Terminate"),
                    optional(
                            "certificateRefs",
                            list(Names.reference("", "Secret")).most(64)),
                    optional("options", TLS_OPTIONS))
            .rule(
                    "certificateRefs or options must be specified when mode is Terminate",
                    tls -> !tls.is("mode", "Terminate")
                            || !tls.objects("certificateRefs").isEmpty()
                            || !tls.table("options").isEmpty());

    private static final Schema.Fields ALLOWED_ROUTES = object(
            optional(
                    "kinds",
                    list(object(defaulted("group", Names.GROUP, Names.GATEWAY_API), required("kind", Names.KIND)))
                            .most(8)),
            defaulted(
                    "namespaces",
                    object(
                            defaulted("from", text().oneOf("All", "Selector", "Same"), "Same"),
                            optional("selector", Names.LABEL_SELECTOR)),
                    Map.of("from", "Same")));

    private static final Schema.Fields FILTER = object(
                    required("type", text().oneOf("ExternalAuth", "ExtensionRef")),
                    optional("externalAuth", RouteFilters.EXTERNAL_AUTH),
                    optional("extensionRef", Names.LOCAL_REFERENCE))
            .rule(
                    "filter.externalAuth must be specified for ExternalAuth filter.type, and for no other",
                    filter -> filter.has("externalAuth") == filter.is("type", "ExternalAuth"))
            .rule(
                    "filter.extensionRef must be specified for ExtensionRef filter.type, and for no other",
                    filter -> filter.has("extensionRef") == filter.is("type", "ExtensionRef"));

    private static final Schema.Fields LISTENER = object(
            required("name", Names.SECTION),
            optional("hostname", Names.HOSTNAME),
            required("port", Names.PORT),
            required("protocol", PROTOCOL),
            optional("tls", TLS),
            defaulted("allowedRoutes", ALLOWED_ROUTES, Map.of("namespaces", Map.of("from", "Same"))),
            optional("filters", object(optional("requests", list(FILTER).most(16)))));

    /** The listeners of a Gateway; those of a ListenerSet lack the rule on filters. */
    static final Schema.Items OF_GATEWAY = listeners(LISTENER.rule(
            "filters may only be set when protocol is HTTP or HTTPS",
            listener ->
                    !listener.has("filters") || listener.is("protocol", "HTTP") || listener.is("protocol", "HTTPS")));

    static final Schema.Items OF_LISTENER_SET = listeners(LISTENER);

    private Listeners() {}

    private static Schema.Items listeners(Schema listener) {
        return list(listener)
                .size(1, 64)
                .uniqueBy("name")
                .rule(
                        "tls must not be specified for protocols ['HTTP', 'TCP', 'UDP']",
                        all -> all.stream().noneMatch(l -> WITHOUT_TLS.contains(l.text("protocol")) && l.has("tls")))
                .rule(
                        "tls mode must be Terminate for protocol HTTPS",
                        all -> all.stream()
                                .filter(l -> l.is("protocol", "HTTPS"))
                                .flatMap(l -> l.optionalObject("tls").stream())
                                .allMatch(tls -> tls.is("mode", "Terminate")))
                .rule(
                        "tls mode must be set for protocol TLS",
                        all -> all.stream().allMatch(l -> !l.is("protocol", "TLS") || l.has("tls")))
                .rule(
                        "hostname must not be specified for protocols ['TCP', 'UDP']",
                        all -> all.stream()
                                .noneMatch(l -> WITHOUT_HOSTNAME.contains(l.text("protocol")) && l.has("hostname")))
                .rule(
                        "Combination of port, protocol and hostname must be unique for each listener",
                        Listeners::areDistinct);
    }

    private static boolean areDistinct(List<ValidObject> listeners) {
        var seen = new HashSet<List<Object>>();
        return listeners.stream()
                .allMatch(l -> seen.add(List.of(l.whole("port"), l.text("protocol"), l.optionalText("hostname"))));
    }

    static List<Listener> all(ValidObject spec) {
        return spec.objects("listeners").stream().map(Listeners::listener).toList();
    }

    private static Listener listener(ValidObject object) {
        ValidObject allowed = object.object("allowedRoutes");
        return new Listener(
                object.text("name"),
                object.optionalText("hostname").map(Names::hostname).orElse(Hostname.ANY),
                new Port(object.whole("port")),
                object.text("protocol"),
                object.optionalObject("tls").map(Listeners::tls),
                new AllowedRoutes(
                        namespaces(allowed.object("namespaces")),
                        allowed.objects("kinds").stream().map(Names::type).toList()),
                object.optionalObject("filters").stream()
                        .flatMap(filters -> filters.objects("requests").stream())
                        .map(filter -> filter.text("type"))
                        .toList());
    }

    private static ListenerTls tls(ValidObject object) {
        return new ListenerTls(
                Names.constant(ListenerTls.Mode.class, object.text("mode")),
                object.objects("certificateRefs").stream().map(Names::ref).toList(),
                object.table("options"));
    }

    static NamespacePolicy namespaces(ValidObject object) {
        Optional<LabelSelector> selector = object.optionalObject("selector").map(Names::selector);
        return switch (object.text("from")) {
            case "All" -> new NamespacePolicy.All();
            case "Same" -> new NamespacePolicy.Same();
            case "None" -> new NamespacePolicy.None();
            default -> new NamespacePolicy.Selected(selector);
        };
    }
}
