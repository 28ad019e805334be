package dev.shellac.decode.kind;

import static dev.shellac.decode.schema.Schema.defaulted;
import static dev.shellac.decode.schema.Schema.list;
import static dev.shellac.decode.schema.Schema.object;
import static dev.shellac.decode.schema.Schema.optional;
import static dev.shellac.decode.schema.Schema.required;
import static dev.shellac.decode.schema.Schema.table;
import static dev.shellac.decode.schema.Schema.text;

import dev.shellac.decode.kind.KindDecoder.Scope;
import dev.shellac.decode.schema.Schema;
import dev.shellac.decode.schema.ValidObject;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Hostname;
import dev.shellac.model.Metadata;
import dev.shellac.model.Port;
import dev.shellac.model.gateway.AddressRequest;
import dev.shellac.model.gateway.DefaultScope;
import dev.shellac.model.gateway.FrontendTls;
import dev.shellac.model.gateway.FrontendTls.ClientValidation;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.gateway.GatewayClass;
import dev.shellac.model.gateway.Infrastructure;
import dev.shellac.model.gateway.ListenerSet;
import dev.shellac.model.gateway.NamespacePolicy;
import dev.shellac.model.status.GatewayClassStatus;
import dev.shellac.model.status.GatewayStatus;
import dev.shellac.model.status.ListenerSetStatus;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** GatewayClass, Gateway and ListenerSet. */
final class GatewayKinds {
    private static final String CONTROLLER = "\\/[A-Za-z0-9\\/\\-._~%!$&'()*+,;=:]+$";
    private static final Pattern METADATA_KEY =
            Pattern.compile("^(" + Names.SUBDOMAIN + "/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$");
    private static final Pattern DOMAIN = Pattern.compile(Names.SUBDOMAIN);

    static final KindDecoder GATEWAY_CLASS = new KindDecoder(
            GroupKind.GATEWAY_CLASS,
            List.of("v1", "v1beta1"),
            Scope.CLUSTER,
            object(
                    required(
                            "spec",
                            object(
                                    required(
                                            "controllerName",
                                            text().length(1, 253)
                                                    .matching(Names.pattern(
                                                            "^" + Names.SUBDOMAIN + CONTROLLER,
                                                            "the name of a controller, as domain/path"))),
                                    optional("description", text().most(64)),
                                    optional("parametersRef", Names.FULL_REFERENCE))),
                    optional("status", Statuses.CLASS)),
            (meta, object) -> new GatewayClass(
                    meta,
                    object.object("spec").text("controllerName"),
                    object.object("spec").optionalObject("parametersRef").map(Names::ref),
                    object.optionalObject("status").map(Statuses::ofClass).orElse(GatewayClassStatus.NONE)));

    private static final Schema.Fields ADDRESS = object(
                    defaulted(
                            "type",
                            text().length(1, 253)
                                    .matching(Names.pattern(
                                            "^Hostname|IPAddress|NamedAddress|" + Names.SUBDOMAIN + CONTROLLER,
                                            "a type of address")),
                            "IPAddress"),
                    optional("value", text().most(253)),
                    optional(
                            "routability",
                            text().most(253)
                                    .rule(
                                            "Routability must be empty, Cluster, or an implementation-specific prefixed"
                                                    + " path; k8s.io and its subdomains are reserved",
                                            GatewayKinds::isRoutability)))
            .rule(
                    "an address of type IPAddress must have an IPv4 or IPv6 address as its value, if any",
                    address -> !address.is("type", "IPAddress")
                            || address.optionalText("value")
                                    .map(Names::isIpAddress)
                                    .orElse(true))
            .rule(
                    "Hostname value must be empty or contain only valid characters",
                    address -> !address.is("type", "Hostname")
                            || address.optionalText("value")
                                    .map(value -> Hostname.parse(value).isPresent())
                                    .orElse(true));

    private static final Schema.Fields VALIDATION = object(optional(
            "validation",
            object(
                    required(
                            "caCertificateRefs",
                            list(Names.FULL_REFERENCE)
                                    .size(1, 16)
                                    .rule(
                                            "ClusterTrustBundle references must not specify namespace",
                                            refs -> refs.stream()
                                                    .noneMatch(ref -> ref.is("group", "certificates.k8s.io")
                                                            && ref.is("kind", "ClusterTrustBundle")
                                                            && ref.has("namespace")))),
                    defaulted("mode", text().oneOf("AllowValidOnly", "AllowInsecureFallback"), "AllowValidOnly"))));

    private static final Schema.Fields TLS = object(
            optional("backend", object(optional("clientCertificateRef", Names.reference("", "Secret")))),
            optional(
                    "frontend",
                    object(
                            required("default", VALIDATION),
                            optional(
                                    "perPort",
                                    list(object(required("port", Names.PORT), required("tls", VALIDATION)))
                                            .most(64)
                                            .uniqueBy("port")))));

    private static final Schema.Fields INFRASTRUCTURE = object(
            optional("labels", keyed(table(labelValue()).most(8), "Label")),
            optional("annotations", keyed(table(text().length(0, 4096)).most(16), "Annotation")),
            optional("parametersRef", Names.LOCAL_REFERENCE));

    private static final Schema.Fields ALLOWED_LISTENERS = object(defaulted(
            "namespaces",
            object(
                    defaulted("from", text().oneOf("All", "Selector", "Same", "None"), "None"),
                    optional("selector", Names.LABEL_SELECTOR)),
            Map.of("from", "None")));

    static final KindDecoder GATEWAY = new KindDecoder(
                    GroupKind.GATEWAY,
                    List.of("v1", "v1beta1"),
                    Scope.NAMESPACED,
                    object(
                            required(
                                    "spec",
                                    object(
                                            required("gatewayClassName", text().length(1, 253)),
                                            required("listeners", Listeners.OF_GATEWAY),
                                            optional("addresses", addresses()),
                                            optional("allowedListeners", ALLOWED_LISTENERS),
                                            optional("defaultScope", text().oneOf("All", "None")),
                                            optional("infrastructure", INFRASTRUCTURE),
                                            optional("tls", TLS))),
                            optional("status", Statuses.GATEWAY)),
                    GatewayKinds::gateway)
            .withOutline(
                    object(
                            required(
                                    "spec",
                                    object(required("gatewayClassName", text())).open()),
                            optional("status", Statuses.GATEWAY)),
                    GatewayKinds::outline);

    static final KindDecoder LISTENER_SET = new KindDecoder(
            GroupKind.LISTENER_SET,
            List.of("v1"),
            Scope.NAMESPACED,
            object(
                    required(
                            "spec",
                            object(
                                    required("parentRef", Names.reference(Names.GATEWAY_API, "Gateway")),
                                    required("listeners", Listeners.OF_LISTENER_SET))),
                    optional("status", Statuses.LISTENER_SET)),
            (meta, object) -> new ListenerSet(
                    meta,
                    Names.ref(object.object("spec").object("parentRef")),
                    Listeners.all(object.object("spec")),
                    object.optionalObject("status").map(Statuses::ofListenerSet).orElse(ListenerSetStatus.NONE)));

    private GatewayKinds() {}

    private static Schema.Items addresses() {
        return list(ADDRESS)
                .most(16)
                .rule("IPAddress values must be unique", all -> valuesAreUnique(all, "IPAddress"))
                .rule("Hostname values must be unique", all -> valuesAreUnique(all, "Hostname"));
    }

    private static boolean valuesAreUnique(List<ValidObject> addresses, String type) {
        var seen = new HashSet<String>();
        return addresses.stream()
                .filter(address -> address.is("type", type))
                .flatMap(address -> address.optionalText("value").stream())
                .allMatch(seen::add);
    }

    private static boolean isRoutability(String text) {
        if (text.isEmpty() || text.equals("Cluster")) {
            return true;
        }
        int slash = text.indexOf('/');
        if (slash < 0 || slash == text.length() - 1) {
            return false;
        }
        String domain = text.substring(0, slash);
        return DOMAIN.matcher(domain).matches() && !domain.equals("k8s.io") && !domain.endsWith(".k8s.io");
    }

    private static Schema.Text labelValue() {
        return text().length(0, 63)
                .matching(Names.pattern("^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$", "the value of a label"));
    }

    private static Schema.Table keyed(Schema.Table table, String what) {
        return table.keys(
                        what
                                + " keys must be in the form of an optional DNS subdomain prefix followed by a required name"
                                + " segment of up to 63 characters.",
                        key -> METADATA_KEY.matcher(key).find())
                .keys(
                        "If specified, the key's prefix must be a DNS subdomain not longer than 253 characters in total.",
                        key -> key.split("/", -1)[0].length() < 253);
    }

    private static Gateway gateway(Metadata meta, ValidObject object) {
        ValidObject spec = object.object("spec");
        Optional<ValidObject> tls = spec.optionalObject("tls");
        return new Gateway(
                meta,
                spec.text("gatewayClassName"),
                Listeners.all(spec),
                spec.objects("addresses").stream()
                        .map(address -> new AddressRequest(
                                address.text("type"),
                                address.optionalText("value").filter(value -> !value.isEmpty()),
                                address.optionalText("routability").filter(value -> !value.isEmpty())))
                        .toList(),
                spec.optionalObject("allowedListeners")
                        .map(allowed -> Listeners.namespaces(allowed.object("namespaces")))
                        .orElse(new NamespacePolicy.None()),
                spec.optionalObject("infrastructure")
                        .map(GatewayKinds::infrastructure)
                        .orElse(Infrastructure.NONE),
                tls.flatMap(found -> found.optionalObject("frontend")).map(GatewayKinds::frontend),
                tls.flatMap(found -> found.optionalObject("backend"))
                        .flatMap(backend -> backend.optionalObject("clientCertificateRef"))
                        .map(Names::ref),
                scope(spec, "defaultScope"),
                object.optionalObject("status").map(Statuses::ofGateway).orElse(GatewayStatus.NONE));
    }

    private static Gateway outline(Metadata meta, ValidObject object) {
        return new Gateway(
                meta,
                object.object("spec").text("gatewayClassName"),
                List.of(),
                List.of(),
                new NamespacePolicy.None(),
                Infrastructure.NONE,
                Optional.empty(),
                Optional.empty(),
                DefaultScope.NONE,
                object.optionalObject("status").map(Statuses::ofGateway).orElse(GatewayStatus.NONE));
    }

    static DefaultScope scope(ValidObject spec, String field) {
        return spec.is(field, "All") ? DefaultScope.ALL : DefaultScope.NONE;
    }

    private static Infrastructure infrastructure(ValidObject object) {
        return new Infrastructure(
                object.table("labels"),
                object.table("annotations"),
                object.optionalObject("parametersRef").map(Names::ref));
    }

    private static FrontendTls frontend(ValidObject object) {
        var byPort = new LinkedHashMap<Port, Optional<ClientValidation>>();
        object.objects("perPort")
                .forEach(port -> byPort.put(new Port(port.whole("port")), validation(port.object("tls"))));
        return new FrontendTls(validation(object.object("default")), byPort);
    }

    private static Optional<ClientValidation> validation(ValidObject object) {
        return object.optionalObject("validation")
                .map(found -> new ClientValidation(
                        found.objects("caCertificateRefs").stream()
                                .map(Names::ref)
                                .toList(),
                        Names.constant(FrontendTls.Mode.class, found.text("mode"))));
    }
}
