package dev.shellac.decode.kind;

import static dev.shellac.decode.schema.Schema.list;
import static dev.shellac.decode.schema.Schema.object;
import static dev.shellac.decode.schema.Schema.optional;
import static dev.shellac.decode.schema.Schema.required;
import static dev.shellac.decode.schema.Schema.text;

import dev.shellac.decode.kind.KindDecoder.Scope;
import dev.shellac.decode.schema.Schema;
import dev.shellac.decode.schema.ValidObject;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Metadata;
import dev.shellac.model.Name;
import dev.shellac.model.policy.CacheInvalidation;
import dev.shellac.model.policy.CachePolicy;
import dev.shellac.model.policy.CachePolicy.BypassHeader;
import dev.shellac.model.policy.CachePolicy.CacheKey;
import dev.shellac.model.status.CacheInvalidationStatus;
import dev.shellac.model.status.PolicyStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The project's own kinds. */
final class VarnishKinds {
    static final String GROUP = "gateway.varnish-software.com";

    static final List<String> VERSIONS = List.of("v1alpha1");
    private static final Duration RETENTION = Duration.ofHours(1);
    private static final Duration CENTURY = Duration.ofDays(36_500);
    private static final Set<GroupKind> TARGETS = Set.of(GroupKind.GATEWAY, GroupKind.HTTP_ROUTE);
    private static final Pattern EXACT = Pattern.compile("/[^\\t\\n\\f\\r \"]*");
    private static final int MOST_PATHS = 256;
    private static final int MOST_PATH = 1024;

    // Go's time.ParseDuration, which CEL's duration() is too.
    private static final Schema.Text DURATION = text().most(40)
            .matching(Names.pattern(
                    "^[+-]?(0|(([0-9]+\\.?[0-9]*|\\.[0-9]+)(ns|us|µs|ms|s|m|h))+)$",
                    "a duration such as 10s, 5m or 1h30m"))
            .rule("is too long", "duration(self) <= duration('876000h')", VarnishKinds::isBelowACentury)
            .admission("must not be negative", "!self.startsWith('-')", text -> !text.startsWith("-"));
    private static final Schema.Text LIFETIME = DURATION.admission(
            "must be greater than zero",
            "duration(self) > duration('0s')",
            text -> Durations.parse(text).map(Duration::isPositive).orElse(true));

    private static final Schema.Fields TARGET = object(
                    required("group", text()).means("gateway.networking.k8s.io"),
                    required("kind", text()).means("Gateway or HTTPRoute."),
                    required("name", text()).means("Its name; it is in the namespace of the policy."),
                    optional("sectionName", text()).means("The name of one rule of an HTTPRoute."))
            .admission(
                    "must be a Gateway or HTTPRoute of gateway.networking.k8s.io",
                    "self.group == 'gateway.networking.k8s.io' && (self.kind == 'Gateway' || self.kind == 'HTTPRoute')",
                    target -> TARGETS.contains(Names.type(target)))
            .admission(
                    "sectionName is the name of a rule: it needs kind HTTPRoute",
                    "!has(self.sectionName) || self.kind != 'Gateway'",
                    target -> !target.has("sectionName") || !target.is("kind", "Gateway"));

    private static final Schema.Fields QUERY = object(
                    optional("include", list(text())).means("Only these parameters tell objects apart."),
                    optional("exclude", list(text())).means("All but these tell objects apart."))
            .admission(
                    "include and exclude exclude each other",
                    "!has(self.include) || !has(self.exclude) || size(self.include) == 0 || size(self.exclude) == 0",
                    query -> query.texts("include").isEmpty()
                            || query.texts("exclude").isEmpty());

    private static final Schema.Fields POLICY = object(
                    required("targetRef", TARGET).means("What the policy is for."),
                    optional("defaultTTL", LIFETIME)
                            .means("How long a response is cached whose origin says nothing about it."),
                    optional("forcedTTL", LIFETIME).means("How long a response is cached, whatever its origin says."),
                    optional("grace", DURATION).means("How long a stale object is served while a new one is fetched."),
                    optional("keep", DURATION).means("How long a stale object is kept to be revalidated."),
                    optional(
                                    "cacheKey",
                                    object(
                                            optional("headers", list(text()))
                                                    .means("Request headers whose values tell objects apart."),
                                            optional("queryParameters", QUERY)
                                                    .means("Which query parameters tell objects apart.")))
                            .means("What tells objects apart, besides host and path."),
                    optional(
                                    "bypass",
                                    object(optional(
                                                    "headers",
                                                    list(object(
                                                            required("name", text())
                                                                    .means("Name of the header."),
                                                            optional("valueRegex", text())
                                                                    .means("What its value must hold; anything"
                                                                            + " where it is left out."))))
                                            .means("Request headers that keep a request away from the cache.")))
                            .means("Requests that are never answered from the cache."))
            .admission(
                    "exactly one of defaultTTL and forcedTTL must be set",
                    "has(self.defaultTTL) != has(self.forcedTTL)",
                    spec -> spec.has("defaultTTL") != spec.has("forcedTTL"));

    static final KindDecoder CACHE_POLICY = new KindDecoder(
            GroupKind.CACHE_POLICY,
            VERSIONS,
            Scope.NAMESPACED,
            object(required("spec", POLICY), optional("status", Statuses.POLICY)),
            VarnishKinds::cachePolicy);

    // A purge names paths; a ban has patterns, which need not begin with a slash.
    private static final Schema.Fields INVALIDATION = object(
                    required(
                                    "gatewayRef",
                                    object(
                                            required("name", text()).means("Name of the Gateway."),
                                            optional("namespace", text())
                                                    .means("Its namespace, which must be that of this object.")))
                            .means("Whose cache it is about."),
                    required("type", text().oneOf("Purge", "Ban"))
                            .means("Purge removes the objects of exact paths, Ban those whose path a pattern finds."),
                    required("hostname", Names.PRECISE_HOSTNAME).means("The host that clients asked for."),
                    required("paths", list(text().length(1, MOST_PATH)).size(1, MOST_PATHS))
                            .means("Paths of a Purge, regular expressions of a Ban."),
                    optional("ttl", DURATION).means("How long this object is kept when it is done; an hour."))
            .rule(
                    "a path of a Purge begins with / and has no spaces and quotes",
                    "self.type != 'Purge' || self.paths.all(path, path.matches('^/[^\\\\s\"]*$'))",
                    spec -> !spec.is("type", "Purge")
                            || spec.texts("paths").stream()
                                    .allMatch(path -> EXACT.matcher(path).matches()))
            // A change would be stored and have no effect. The rule is about two objects, and only an API server has
            // both.
            .rule("an invalidation is done once: write another one", "self == oldSelf", spec -> true);

    private static final Schema.Fields INVALIDATION_STATUS = object(
                    optional("phase", text()).means("InProgress, Complete or Failed."),
                    optional("completedAt", text()).means("When it was done."),
                    optional("conditions", Statuses.CONDITIONS).means("Whether it is carried out."),
                    optional(
                                    "podResults",
                                    list(object(required("podName", text())).keepingOthers()))
                            .means("What each pod said."))
            .open();

    static final KindDecoder CACHE_INVALIDATION = new KindDecoder(
            GroupKind.CACHE_INVALIDATION,
            VERSIONS,
            Scope.NAMESPACED,
            object(required("spec", INVALIDATION), optional("status", INVALIDATION_STATUS)),
            VarnishKinds::invalidation);

    private VarnishKinds() {}

    static boolean isType(ValidObject service, Set<String> types) {
        return service.optionalText("type").map(types::contains).orElse(true);
    }

    private static boolean isBelowACentury(String text) {
        return Durations.parse(text)
                .filter(length -> length.compareTo(CENTURY) <= 0)
                .isPresent();
    }

    private static CachePolicy cachePolicy(Metadata meta, ValidObject object) {
        ValidObject spec = object.object("spec");
        ValidObject target = spec.object("targetRef");
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
                object.optionalObject("status").map(Statuses::ofPolicy).orElse(PolicyStatus.NONE));
    }

    private static CacheKey cacheKey(ValidObject object) {
        Optional<ValidObject> query = object.optionalObject("queryParameters");
        return new CacheKey(
                object.texts("headers"),
                query.map(found -> found.texts("include")).orElse(List.of()),
                query.map(found -> found.texts("exclude")).orElse(List.of()));
    }

    private static CacheInvalidation invalidation(Metadata meta, ValidObject object) {
        ValidObject spec = object.object("spec");
        ValidObject gateway = spec.object("gatewayRef");
        return new CacheInvalidation(
                meta,
                new Name(gateway.optionalText("namespace").orElse(meta.name().namespace()), gateway.text("name")),
                Names.constant(CacheInvalidation.Kind.class, spec.text("type")),
                Names.hostname(spec.text("hostname")),
                spec.texts("paths"),
                duration(spec, "ttl").orElse(RETENTION),
                object.optionalObject("status").map(Statuses::ofInvalidation).orElse(CacheInvalidationStatus.NONE));
    }

    private static Optional<Duration> duration(ValidObject object, String field) {
        return object.optionalText(field).flatMap(Durations::parse);
    }
}
