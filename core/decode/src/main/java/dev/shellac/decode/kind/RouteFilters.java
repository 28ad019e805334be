package dev.shellac.decode.kind;

import static dev.shellac.decode.schema.Schema.defaulted;
import static dev.shellac.decode.schema.Schema.flag;
import static dev.shellac.decode.schema.Schema.list;
import static dev.shellac.decode.schema.Schema.object;
import static dev.shellac.decode.schema.Schema.optional;
import static dev.shellac.decode.schema.Schema.required;
import static dev.shellac.decode.schema.Schema.text;
import static dev.shellac.decode.schema.Schema.whole;

import dev.shellac.decode.schema.Schema;
import dev.shellac.decode.schema.ValidObject;
import dev.shellac.model.GroupKind;
import dev.shellac.model.ObjectRef;
import dev.shellac.model.route.BackendRef;
import dev.shellac.model.route.Filter;
import dev.shellac.model.route.HeaderEdits;
import dev.shellac.model.route.PathEdit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Filters of routes, and the references to backends that some of them hold. */
final class RouteFilters {
    private static final String[] METHODS = {
        "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "*"
    };
    private static final String[] ONCE = {
        "CORS", "RequestHeaderModifier", "ResponseHeaderModifier", "RequestRedirect", "URLRewrite"
    };
    private static final Map<String, String> FIELD_OF_TYPE = Map.of(
            "CORS", "cors",
            "RequestHeaderModifier", "requestHeaderModifier",
            "ResponseHeaderModifier", "responseHeaderModifier",
            "RequestMirror", "requestMirror",
            "RequestRedirect", "requestRedirect",
            "URLRewrite", "urlRewrite",
            "ExtensionRef", "extensionRef",
            "ExternalAuth", "externalAuth");
    private static final String PATH_CHARACTERS = "[-A-Za-z0-9/._~!$&'()*+,;=:@]";
    // As the original, without a step back for each character.
    static final Schema.TextPattern PATH = new Schema.TextPattern(
            "^(?:" + PATH_CHARACTERS + "|[%][0-9a-fA-F]{2})+$",
            Pattern.compile("^(?:" + PATH_CHARACTERS + "|[%][0-9a-fA-F]{2})++$"),
            "a path");

    /** A reference to a backend without weight. */
    static final Schema.Fields BACKEND = backend(object(
            defaulted("group", Names.GROUP, ""),
            defaulted("kind", Names.KIND, "Service"),
            required("name", Names.NAME),
            optional("namespace", Names.NAMESPACE),
            optional("port", Names.PORT)));

    private static final Schema.Items HEADERS = list(object(
                    required("name", Names.HEADER_NAME), required("value", Names.HEADER_VALUE)))
            .most(16)
            .uniqueBy("name");
    private static final Schema.Fields HEADER_EDITS = object(
            optional("add", HEADERS), optional("remove", list(text()).most(16).distinct()), optional("set", HEADERS));

    private static final Schema.Fields CORS = object(
            optional("allowCredentials", flag()),
            optional("allowHeaders", starAlone(list(Names.HEADER_NAME).most(64))),
            optional("allowMethods", starAlone(list(text().oneOf(METHODS)).most(9))),
            optional(
                    "allowOrigins",
                    starAlone(list(text().length(1, 253)
                                    .matching(Names.pattern(
                                            "(^\\*$)|(^(http(s)?):\\/\\/(((\\*\\.)?([a-zA-Z0-9\\-]+\\.)*[a-zA-Z0-9-]+|\\*)"
                                                    + "(:([0-9]{1,5}))?)$)",
                                            "an origin such as https://shop.example.com")))
                            .most(64))),
            optional("exposeHeaders", list(Names.HEADER_NAME).most(64).distinct()),
            defaulted("maxAge", whole().between(1, Integer.MAX_VALUE), 5));

    private static final Schema.Fields MIRROR = object(
                    required("backendRef", BACKEND),
                    optional(
                            "fraction",
                            object(
                                            defaulted("denominator", whole().between(1, Integer.MAX_VALUE), 100),
                                            required("numerator", whole().between(0, Integer.MAX_VALUE)))
                                    .rule(
                                            "numerator must be less than or equal to denominator",
                                            share -> share.whole("numerator") <= share.whole("denominator"))),
                    optional("percent", whole().between(0, 100)))
            .rule(
                    "Only one of percent or fraction may be specified in HTTPRequestMirrorFilter",
                    mirror -> !(mirror.has("percent") && mirror.has("fraction")));

    private static final Schema.Fields PATH_EDIT = object(
                    optional("replaceFullPath", text().most(1024)),
                    optional("replacePrefixMatch", text().most(1024)),
                    required("type", text().oneOf("ReplaceFullPath", "ReplacePrefixMatch")))
            .rule(
                    "replaceFullPath must be specified when type is set to 'ReplaceFullPath', and with no other type",
                    path -> path.has("replaceFullPath") == path.is("type", "ReplaceFullPath"))
            .rule(
                    "replacePrefixMatch must be specified when type is set to 'ReplacePrefixMatch', and with no other type",
                    path -> path.has("replacePrefixMatch") == path.is("type", "ReplacePrefixMatch"));

    private static final Schema.Fields REDIRECT = object(
            optional("hostname", Names.PRECISE_HOSTNAME),
            optional("path", PATH_EDIT),
            optional("port", Names.PORT),
            optional("scheme", text().oneOf("http", "https")),
            defaulted("statusCode", whole().oneOf(301, 302, 303, 307, 308), 302));
    private static final Schema.Fields REWRITE =
            object(optional("hostname", Names.PRECISE_HOSTNAME), optional("path", PATH_EDIT));

    static final Schema.Fields EXTERNAL_AUTH = object(
                    required("backendRef", BACKEND),
                    optional("forwardBody", object(optional("maxSize", whole().between(0, Integer.MAX_VALUE)))),
                    optional("grpc", object(optional("allowedHeaders", names()))),
                    optional(
                            "http",
                            object(
                                    optional("allowedHeaders", names()),
                                    optional("allowedResponseHeaders", names()),
                                    optional("path", text().most(1024).matching(PATH)))),
                    required("protocol", text().oneOf("HTTP", "GRPC")))
            .rule(
                    "grpc must be specified when protocol is set to 'GRPC', and with no other",
                    auth -> auth.has("grpc") == auth.is("protocol", "GRPC"))
            .rule(
                    "http must be specified when protocol is set to 'HTTP', and with no other",
                    auth -> auth.has("http") == auth.is("protocol", "HTTP"));

    private static final Schema.Fields FILTER = oneFieldOfItsType(object(
            required(
                    "type",
                    text().oneOf(
                                    "RequestHeaderModifier",
                                    "ResponseHeaderModifier",
                                    "RequestMirror",
                                    "RequestRedirect",
                                    "URLRewrite",
                                    "ExtensionRef",
                                    "CORS",
                                    "ExternalAuth")),
            optional("cors", CORS),
            optional("extensionRef", Names.LOCAL_REFERENCE),
            optional("externalAuth", EXTERNAL_AUTH),
            optional("requestHeaderModifier", HEADER_EDITS),
            optional("requestMirror", MIRROR),
            optional("requestRedirect", REDIRECT),
            optional("responseHeaderModifier", HEADER_EDITS),
            optional("urlRewrite", REWRITE)));

    static final Schema.Items FILTERS = filters();

    private RouteFilters() {}

    private static Schema.Items names() {
        return list(text()).most(64).distinct();
    }

    private static Schema.Items starAlone(Schema.Items list) {
        return list.starAlone();
    }

    static Schema.Fields backend(Schema.Fields schema) {
        return schema.rule(
                        "Must have port for Service reference",
                        ref -> !(ref.is("group", "") && ref.is("kind", "Service")) || ref.has("port"))
                .rule(
                        "Must not have port for Backend reference",
                        ref -> !(ref.is("group", "gateway.networking.x-k8s.io") && ref.is("kind", "XBackend"))
                                || !ref.has("port"));
    }

    private static Schema.Fields oneFieldOfItsType(Schema.Fields schema) {
        Schema.Fields ruled = schema;
        for (Map.Entry<String, String> pair : new TreeMap<>(FIELD_OF_TYPE).entrySet()) {
            String type = pair.getKey();
            String field = pair.getValue();
            ruled = ruled.rule(
                            "filter." + field + " must be nil if the filter.type is not " + type,
                            filter -> !filter.has(field) || filter.is("type", type))
                    .rule(
                            "filter." + field + " must be specified for " + type + " filter.type",
                            filter -> filter.has(field) || !filter.is("type", type));
        }
        return ruled;
    }

    private static Schema.Items filters() {
        Schema.Items items = list(FILTER)
                .most(16)
                .rule(
                        "May specify either httpRouteFilterRequestRedirect or httpRouteFilterRequestRewrite, but not both",
                        all -> count(all, "RequestRedirect") == 0 || count(all, "URLRewrite") == 0);
        for (String type : ONCE) {
            items = items.rule(type + " filter cannot be repeated", all -> count(all, type) <= 1);
        }
        return items;
    }

    private static long count(List<ValidObject> filters, String type) {
        return filters.stream().filter(filter -> filter.is("type", type)).count();
    }

    static List<Filter> all(ValidObject holder) {
        return holder.objects("filters").stream().map(RouteFilters::filter).toList();
    }

    private static Filter filter(ValidObject object) {
        String type = object.text("type");
        ValidObject body = object.object(Objects.requireNonNull(FIELD_OF_TYPE.get(type)));
        return switch (type) {
            case "RequestHeaderModifier" -> new Filter.RequestHeaders(edits(body));
            case "ResponseHeaderModifier" -> new Filter.ResponseHeaders(edits(body));
            case "RequestMirror" -> new Filter.Mirror(backendRef(body.object("backendRef")), share(body));
            case "RequestRedirect" ->
                new Filter.Redirect(
                        body.optionalText("scheme"),
                        body.optionalText("hostname").map(Names::hostname),
                        path(body),
                        Names.port(body, "port"),
                        body.whole("statusCode"));
            case "URLRewrite" ->
                new Filter.Rewrite(body.optionalText("hostname").map(Names::hostname), path(body));
            case "CORS" -> cors(body);
            case "ExtensionRef" -> new Filter.Extension(Names.ref(body));
            case "ExternalAuth" ->
                new Filter.ExternalAuth(
                        body.text("protocol").toLowerCase(Locale.ROOT), backendRef(body.object("backendRef")));
            default -> throw new IllegalStateException("no filter has the type " + type);
        };
    }

    static BackendRef backendRef(ValidObject object) {
        return new BackendRef(
                new ObjectRef(
                        new GroupKind(object.text("group"), object.text("kind")),
                        object.optionalText("namespace"),
                        object.text("name")),
                Names.port(object, "port"),
                object.optionalWhole("weight").orElse(1),
                all(object));
    }

    private static HeaderEdits edits(ValidObject object) {
        return new HeaderEdits(headers(object, "set"), headers(object, "add"), object.texts("remove"));
    }

    private static List<HeaderEdits.Header> headers(ValidObject object, String field) {
        return object.objects(field).stream()
                .map(header -> new HeaderEdits.Header(header.text("name"), header.text("value")))
                .toList();
    }

    private static Filter.Share share(ValidObject object) {
        return object.optionalObject("fraction")
                .map(fraction -> new Filter.Share(fraction.whole("numerator"), fraction.whole("denominator")))
                .or(() -> object.optionalWhole("percent").map(percent -> new Filter.Share(percent, 100)))
                .orElse(Filter.Share.ALL);
    }

    private static Optional<PathEdit> path(ValidObject object) {
        return object.optionalObject("path")
                .map(path -> path.is("type", "ReplaceFullPath")
                        ? new PathEdit.Full(path.text("replaceFullPath"))
                        : new PathEdit.Prefix(path.text("replacePrefixMatch")));
    }

    private static Filter cors(ValidObject object) {
        return new Filter.Cors(
                object.texts("allowOrigins"),
                object.texts("allowMethods"),
                object.texts("allowHeaders"),
                object.texts("exposeHeaders"),
                object.optionalFlag("allowCredentials").orElse(false)
                        ? Filter.Credentials.ALLOWED
                        : Filter.Credentials.WITHHELD,
                object.whole("maxAge"));
    }
}
