package dev.shellac.decode.kind;

import static dev.shellac.decode.schema.Schema.anything;
import static dev.shellac.decode.schema.Schema.defaulted;
import static dev.shellac.decode.schema.Schema.flag;
import static dev.shellac.decode.schema.Schema.list;
import static dev.shellac.decode.schema.Schema.object;
import static dev.shellac.decode.schema.Schema.optional;
import static dev.shellac.decode.schema.Schema.required;
import static dev.shellac.decode.schema.Schema.table;
import static dev.shellac.decode.schema.Schema.text;

import dev.shellac.decode.kind.KindDecoder.Scope;
import dev.shellac.decode.schema.Schema;
import dev.shellac.decode.schema.ValidObject;
import dev.shellac.decode.tree.Node;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Metadata;
import dev.shellac.model.Port;
import dev.shellac.model.Secret;
import dev.shellac.model.core.ConfigMap;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.model.core.EndpointSlice.Endpoint;
import dev.shellac.model.core.EndpointSlice.EndpointPort;
import dev.shellac.model.core.EndpointSlice.Readiness;
import dev.shellac.model.core.Namespace;
import dev.shellac.model.core.SecretObject;
import dev.shellac.model.core.Service;
import dev.shellac.model.core.Service.ServicePort;
import dev.shellac.model.core.TargetPort;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Kubernetes' own kinds. Only the fields that are used are looked at: the rest is checked by nobody here. */
final class CoreKinds {
    private static final String SERVICE_LABEL = "kubernetes.io/service-name";
    private static final List<String> V1 = List.of("v1");
    private static final Set<String> KEY_PAIR = Set.of(SecretObject.CERTIFICATE, SecretObject.KEY);

    static final KindDecoder SERVICE = new KindDecoder(
            GroupKind.SERVICE,
            V1,
            Scope.NAMESPACED,
            object(optional(
                            "spec",
                            object(
                                            defaulted(
                                                    "type",
                                                    text().oneOf(
                                                                    "ClusterIP",
                                                                    "NodePort",
                                                                    "LoadBalancer",
                                                                    "ExternalName"),
                                                    "ClusterIP"),
                                            optional(
                                                    "ports",
                                                    list(object(
                                                                    optional("name", text()),
                                                                    required("port", Names.PORT),
                                                                    optional("targetPort", Schema.wholeOrText()),
                                                                    defaulted("protocol", text(), "TCP"),
                                                                    optional("appProtocol", text()))
                                                            .open())))
                                    .open()))
                    .open(),
            CoreKinds::service);

    static final KindDecoder ENDPOINT_SLICE = new KindDecoder(
            GroupKind.ENDPOINT_SLICE,
            V1,
            Scope.NAMESPACED,
            object(
                            required("addressType", text().oneOf("IPv4", "IPv6", "FQDN")),
                            optional(
                                    "endpoints",
                                    list(object(
                                                    required(
                                                            "addresses",
                                                            list(text()).size(1, 100)),
                                                    optional(
                                                            "conditions",
                                                            object(
                                                                            optional("ready", flag()),
                                                                            optional("serving", flag()),
                                                                            optional("terminating", flag()))
                                                                    .open()))
                                            .open())),
                            optional(
                                    "ports",
                                    list(object(
                                                    optional("name", text()),
                                                    optional("port", Names.PORT),
                                                    defaulted("protocol", text(), "TCP"))
                                            .open())))
                    .open(),
            CoreKinds::endpointSlice);

    static final KindDecoder NAMESPACE =
            new KindDecoder(GroupKind.NAMESPACE, V1, Scope.CLUSTER, object().open(), (meta, object) -> namespace(meta));

    static final KindDecoder SECRET = new KindDecoder(
            GroupKind.SECRET,
            V1,
            Scope.NAMESPACED,
            object(
                            defaulted("type", text(), "Opaque"),
                            optional(
                                    "data",
                                    table(text().rule("is not base64", CoreKinds::isBase64))
                                            .nullsAreEmptyText()),
                            optional("stringData", table(text()).nullsAreEmptyText()),
                            optional("immutable", flag()))
                    .open(),
            CoreKinds::secret);

    static final KindDecoder CONFIG_MAP = new KindDecoder(
            GroupKind.CONFIG_MAP,
            V1,
            Scope.NAMESPACED,
            object(optional("data", table(text()).nullsAreEmptyText()), optional("binaryData", anything()))
                    .open(),
            (meta, object) -> new ConfigMap(meta, object.table("data")));

    private CoreKinds() {}

    // Every namespace carries its name as a label: the API server adds it, so selectors by name work in a folder too.
    private static Namespace namespace(Metadata meta) {
        var labels = new LinkedHashMap<>(meta.labels());
        labels.putIfAbsent("kubernetes.io/metadata.name", meta.name().name());
        return new Namespace(new Metadata(
                meta.name(),
                meta.uid(),
                meta.generation(),
                meta.created(),
                meta.deleted(),
                labels,
                meta.annotations()));
    }

    private static Service service(Metadata meta, ValidObject object) {
        Optional<ValidObject> spec = object.optionalObject("spec");
        Service.Type type = switch (spec.map(found -> found.text("type")).orElse("ClusterIP")) {
            case "NodePort" -> Service.Type.NODE_PORT;
            case "LoadBalancer" -> Service.Type.LOAD_BALANCER;
            case "ExternalName" -> Service.Type.EXTERNAL_NAME;
            default -> Service.Type.CLUSTER_IP;
        };
        return new Service(
                meta,
                type,
                spec.stream()
                        .flatMap(found -> found.objects("ports").stream())
                        .map(CoreKinds::servicePort)
                        .toList());
    }

    private static ServicePort servicePort(ValidObject object) {
        Port port = new Port(object.whole("port"));
        TargetPort target = switch (object.node("targetPort").orElse(null)) {
            case Node.Whole number
            when number.value() >= 1 && number.value() <= 65_535 ->
                new TargetPort.Numbered(new Port(Math.toIntExact(number.value())));
            case Node.Text name -> new TargetPort.Named(name.value());
            case null, default -> new TargetPort.Numbered(port);
        };
        return new ServicePort(
                object.optionalText("name").filter(name -> !name.isEmpty()),
                port,
                target,
                object.text("protocol"),
                object.optionalText("appProtocol"));
    }

    private static EndpointSlice endpointSlice(Metadata meta, ValidObject object) {
        return new EndpointSlice(
                meta,
                Optional.ofNullable(meta.labels().get(SERVICE_LABEL)),
                object.text("addressType"),
                object.objects("endpoints").stream().map(CoreKinds::endpoint).toList(),
                object.objects("ports").stream()
                        .map(port -> new EndpointPort(
                                port.optionalText("name").orElse(""), Names.port(port, "port"), port.text("protocol")))
                        .toList());
    }

    private static Endpoint endpoint(ValidObject object) {
        // EndpointConditions: ready is true where it is not given, serving is as ready, and terminating false. A
        // Service with
        // publishNotReadyAddresses has endpoints that are ready and terminate.
        boolean ready = condition(object, "ready", true);
        boolean serving = ready || condition(object, "serving", false);
        boolean terminating = condition(object, "terminating", false);
        Readiness rest = terminating && serving ? Readiness.DRAINING : Readiness.NOT_READY;
        return new Endpoint(object.texts("addresses"), ready && !terminating ? Readiness.READY : rest);
    }

    private static boolean condition(ValidObject endpoint, String name, boolean otherwise) {
        return endpoint.optionalObject("conditions")
                .flatMap(conditions -> conditions.optionalFlag(name))
                .orElse(otherwise);
    }

    private static SecretObject secret(Metadata meta, ValidObject object) {
        Map<String, Secret> values = new LinkedHashMap<>();
        object.table("data").forEach((key, value) -> {
            if (KEY_PAIR.contains(key)) {
                values.put(key, kept(Base64.getMimeDecoder().decode(value)));
            }
        });
        object.table("stringData").forEach((key, value) -> {
            if (KEY_PAIR.contains(key)) {
                values.put(key, kept(value.getBytes(StandardCharsets.UTF_8)));
            }
        });
        return new SecretObject(meta, object.text("type"), values);
    }

    // Whoever may name a Secret decides how much the operator reads, but not how much it keeps.
    private static Secret kept(byte[] value) {
        return value.length <= SecretObject.MOST_BYTES ? Secret.of(value) : Secret.ofLength(value.length);
    }

    private static boolean isBase64(String text) {
        try {
            Base64.getDecoder().decode(text.replaceAll("\\s", ""));
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
