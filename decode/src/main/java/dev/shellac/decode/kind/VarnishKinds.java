package dev.shellac.decode.kind;

import static dev.shellac.decode.shape.Shape.anything;
import static dev.shellac.decode.shape.Shape.defaulted;
import static dev.shellac.decode.shape.Shape.list;
import static dev.shellac.decode.shape.Shape.object;
import static dev.shellac.decode.shape.Shape.optional;
import static dev.shellac.decode.shape.Shape.required;
import static dev.shellac.decode.shape.Shape.table;
import static dev.shellac.decode.shape.Shape.text;

import dev.shellac.decode.kind.KindDecoder.Scope;
import dev.shellac.decode.shape.Shape;
import dev.shellac.decode.shape.View;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Metadata;
import dev.shellac.model.Name;
import dev.shellac.model.policy.CacheInvalidation;
import dev.shellac.model.policy.CachePolicy;
import dev.shellac.model.policy.CachePolicy.BypassHeader;
import dev.shellac.model.policy.CachePolicy.CacheKey;
import dev.shellac.model.policy.GatewayClassParameters;
import dev.shellac.model.policy.GatewayClassParameters.Logging;
import dev.shellac.model.policy.GatewayClassParameters.ServiceSettings;
import dev.shellac.model.policy.GatewayClassParameters.UserVcl;
import dev.shellac.model.status.PolicyStatus;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The project's own kinds. */
final class VarnishKinds {
    static final String GROUP = "gateway.varnish-software.com";

    private static final List<String> VERSIONS = List.of("v1alpha1");
    private static final List<String> POD_PARTS = List.of(
            "extraVolumes",
            "extraVolumeMounts",
            "extraInitContainers",
            "resources",
            "podDisruptionBudget",
            "topologySpreadConstraints");
    private static final Duration RETENTION = Duration.ofHours(1);
    private static final Shape.Text GO_DURATION = text().rule(
                    "is not a duration such as 10s, 5m or 1h30m",
                    value -> Durations.parse(value).isPresent());

    private static final Shape.Fields SERVICE = object(
                    optional("type", text().oneOf("ClusterIP", "NodePort", "LoadBalancer")),
                    optional("annotations", table(text())),
                    optional("labels", table(text())),
                    optional("loadBalancerClass", text()),
                    optional("loadBalancerSourceRanges", list(text())),
                    optional("externalTrafficPolicy", text().oneOf("Cluster", "Local")))
            .rule(
                    "loadBalancerClass needs type LoadBalancer",
                    service -> !service.has("loadBalancerClass") || isType(service, Set.of("LoadBalancer")))
            .rule(
                    "loadBalancerSourceRanges needs type LoadBalancer",
                    service -> !service.has("loadBalancerSourceRanges") || isType(service, Set.of("LoadBalancer")))
            .rule(
                    "externalTrafficPolicy needs type LoadBalancer or NodePort",
                    service -> !service.has("externalTrafficPolicy")
                            || isType(service, Set.of("LoadBalancer", "NodePort")));

    static final KindDecoder GATEWAY_CLASS_PARAMETERS = new KindDecoder(
            GroupKind.GATEWAY_CLASS_PARAMETERS,
            VERSIONS,
            Scope.CLUSTER,
            object(
                    optional(
                            "spec",
                            object(
                                    optional("image", text()),
                                    optional(
                                            "userVCLConfigMapRef",
                                            object(
                                                    required("name", text()),
                                                    required("namespace", text()),
                                                    defaulted("key", text(), "user.vcl"))),
                                    optional("varnishdExtraArgs", list(text())),
                                    optional(
                                            "logging",
                                            object(
                                                    required(
                                                            "mode",
                                                            text().oneOf(
                                                                            "varnishlog",
                                                                            "varnishlog-json",
                                                                            "varnishncsa")),
                                                    optional("format", text()),
                                                    optional("extraArgs", list(text())),
                                                    optional("image", text()))),
                                    optional("service", SERVICE),
                                    optional("extraVolumes", list(anything())),
                                    optional("extraVolumeMounts", list(anything())),
                                    optional("extraInitContainers", list(anything())),
                                    optional("resources", anything()),
                                    optional("podDisruptionBudget", anything()),
                                    optional("topologySpreadConstraints", list(anything())))),
                    optional("status", anything())),
            VarnishKinds::parameters);

    static final KindDecoder CACHE_POLICY = new KindDecoder(
            GroupKind.CACHE_POLICY,
            VERSIONS,
            Scope.NAMESPACED,
            object(
                    required(
                            "spec",
                            object(
                                    required(
                                            "targetRef",
                                            object(
                                                    required("group", text()),
                                                    required("kind", text()),
                                                    required("name", text()),
                                                    optional("sectionName", text()))),
                                    optional("defaultTTL", GO_DURATION),
                                    optional("forcedTTL", GO_DURATION),
                                    optional("grace", GO_DURATION),
                                    optional("keep", GO_DURATION),
                                    optional(
                                            "cacheKey",
                                            object(
                                                    optional("headers", list(text())),
                                                    optional(
                                                            "queryParameters",
                                                            object(
                                                                    optional("include", list(text())),
                                                                    optional("exclude", list(text())))))),
                                    optional(
                                            "bypass",
                                            object(optional(
                                                    "headers",
                                                    list(object(
                                                            required("name", text()),
                                                            optional("valueRegex", text())))))))),
                    optional("status", Statuses.POLICY)),
            VarnishKinds::cachePolicy);

    static final KindDecoder CACHE_INVALIDATION = new KindDecoder(
            GroupKind.CACHE_INVALIDATION,
            VERSIONS,
            Scope.NAMESPACED,
            object(
                    required(
                            "spec",
                            object(
                                    required(
                                            "gatewayRef",
                                            object(required("name", text()), optional("namespace", text()))),
                                    required("type", text().oneOf("Purge", "Ban")),
                                    required("hostname", Names.PRECISE_HOSTNAME),
                                    required(
                                            "paths",
                                            list(text().matching(Names.pattern(
                                                            "^/[^\\s\"]*$", "a path without spaces and quotes")))
                                                    .size(1, Shape.NO_LIMIT)),
                                    optional("ttl", GO_DURATION))),
                    optional("status", object(optional("phase", text())).open())),
            VarnishKinds::invalidation);

    private VarnishKinds() {}

    private static boolean isType(View service, Set<String> types) {
        return service.optionalText("type").map(types::contains).orElse(true);
    }

    private static GatewayClassParameters parameters(Metadata meta, View view) {
        Optional<View> spec = view.optionalObject("spec");
        var podParts = new LinkedHashMap<String, String>();
        spec.ifPresent(found ->
                POD_PARTS.forEach(part -> found.json(part).ifPresent(json -> podParts.put(part, json))));
        return new GatewayClassParameters(
                meta,
                spec.flatMap(found -> found.optionalText("image")),
                spec.flatMap(found -> found.optionalObject("userVCLConfigMapRef"))
                        .map(ref -> new UserVcl(new Name(ref.text("namespace"), ref.text("name")), ref.text("key"))),
                spec.map(found -> found.texts("varnishdExtraArgs")).orElse(List.of()),
                spec.flatMap(found -> found.optionalObject("logging"))
                        .map(logging -> new Logging(
                                logging.text("mode"),
                                logging.optionalText("format"),
                                logging.texts("extraArgs"),
                                logging.optionalText("image"))),
                spec.flatMap(found -> found.optionalObject("service"))
                        .map(VarnishKinds::service)
                        .orElse(ServiceSettings.NONE),
                podParts);
    }

    private static ServiceSettings service(View view) {
        return new ServiceSettings(
                view.optionalText("type"),
                view.table("annotations"),
                view.table("labels"),
                view.optionalText("loadBalancerClass"),
                view.texts("loadBalancerSourceRanges"),
                view.optionalText("externalTrafficPolicy"));
    }

    private static CachePolicy cachePolicy(Metadata meta, View view) {
        View spec = view.object("spec");
        View target = spec.object("targetRef");
        return new CachePolicy(
                meta,
                new CachePolicy.Target(Names.type(target), target.text("name"), target.optionalText("sectionName")),
                duration(spec, "defaultTTL"),
                duration(spec, "forcedTTL"),
                duration(spec, "grace"),
                duration(spec, "keep"),
                spec.optionalObject("cacheKey").map(VarnishKinds::cacheKey).orElse(CacheKey.PLAIN),
                spec.optionalObject("bypass").stream()
                        .flatMap(bypass -> bypass.objects("headers").stream())
                        .map(header -> new BypassHeader(header.text("name"), header.optionalText("valueRegex")))
                        .toList(),
                view.optionalObject("status").map(Statuses::ofPolicy).orElse(PolicyStatus.NONE));
    }

    private static CacheKey cacheKey(View view) {
        Optional<View> query = view.optionalObject("queryParameters");
        return new CacheKey(
                view.texts("headers"),
                query.map(found -> found.texts("include")).orElse(List.of()),
                query.map(found -> found.texts("exclude")).orElse(List.of()));
    }

    private static CacheInvalidation invalidation(Metadata meta, View view) {
        View spec = view.object("spec");
        View gateway = spec.object("gatewayRef");
        return new CacheInvalidation(
                meta,
                new Name(gateway.optionalText("namespace").orElse(meta.name().namespace()), gateway.text("name")),
                Names.constant(CacheInvalidation.Kind.class, spec.text("type")),
                Names.hostname(spec.text("hostname")),
                spec.texts("paths"),
                duration(spec, "ttl").orElse(RETENTION),
                view.optionalObject("status").flatMap(status -> status.optionalText("phase")));
    }

    private static Optional<Duration> duration(View view, String field) {
        return view.optionalText(field).flatMap(Durations::parse);
    }
}
