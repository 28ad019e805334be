package dev.shellac.decode.kind;

import static dev.shellac.decode.schema.Schema.defaulted;
import static dev.shellac.decode.schema.Schema.list;
import static dev.shellac.decode.schema.Schema.object;
import static dev.shellac.decode.schema.Schema.optional;
import static dev.shellac.decode.schema.Schema.required;
import static dev.shellac.decode.schema.Schema.table;
import static dev.shellac.decode.schema.Schema.text;
import static dev.shellac.decode.schema.Schema.whole;

import dev.shellac.decode.schema.Schema;
import dev.shellac.decode.schema.Schema.TextPattern;
import dev.shellac.decode.schema.ValidObject;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Hostname;
import dev.shellac.model.LabelSelector;
import dev.shellac.model.ObjectRef;
import dev.shellac.model.Port;
import java.net.InetAddress;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** The names, numbers and references that all kinds of Gateway API share. */
final class Names {
    static final String GATEWAY_API = "gateway.networking.k8s.io";

    private static final String LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
    static final String SUBDOMAIN = LABEL + "(\\." + LABEL + ")*";
    private static final String TOKEN = "^[A-Za-z0-9!#$%&'*+\\-.^_\\x60|~]+$";

    private static final Pattern IPV4 =
            Pattern.compile("0*BYTE(\\.0*BYTE){3}".replace("BYTE", "(\\d{1,2}|1\\d\\d|2[0-4]\\d|25[0-5])"));

    static final Schema.Text GROUP = text().most(253).matching(pattern("^$|^" + SUBDOMAIN + "$", "an API group"));
    static final Schema.Text KIND =
            text().length(1, 63).matching(pattern("^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$", "a kind"));
    static final Schema.Text NAME = text().length(1, 253);
    static final Schema.Text NAMESPACE = text().length(1, 63).matching(pattern("^" + LABEL + "$", "a namespace"));
    static final Schema.Text SECTION =
            text().length(1, 253).matching(pattern("^" + SUBDOMAIN + "$", "a name in lower case"));
    static final Schema.Text HOSTNAME = text().length(1, 253)
            .matching(pattern("^(\\*\\.)?" + SUBDOMAIN + "$", "a hostname: lower case, no port, no IP with colons"));
    static final Schema.Text PRECISE_HOSTNAME =
            text().length(1, 253).matching(pattern("^" + SUBDOMAIN + "$", "a hostname without wildcard"));
    static final Schema.Whole PORT = whole().between(1, 65_535);
    static final Schema.Text HEADER_NAME = text().length(1, 256).matching(pattern(TOKEN, "the name of a header"));
    // The original invites exponential backtracking: its space is optional between two repetitions of the same.
    static final Schema.Text HEADER_VALUE = text().length(1, 4096)
            .matching(new TextPattern(
                    "^[!-~]+([\\t ]?[!-~]+)*$",
                    Pattern.compile("^[!-~]++(?:[\\t ][!-~]++)*+$"),
                    "the value of a header: visible ASCII, single spaces inside"));
    static final Schema.Text DURATION =
            text().matching(pattern("^([0-9]{1,5}(h|m|s|ms)){1,4}$", "a duration such as 10s, 500ms or 1h30m"));

    /** The formats ipv4 and ipv6 of OpenAPI as the API server has them: with leading zeros, without a zone. */
    static boolean isIpAddress(String text) {
        if (!text.contains(":")) {
            return IPV4.matcher(text).matches();
        }
        if (text.contains("%") || text.contains("[")) {
            return false;
        }
        try {
            InetAddress.ofLiteral(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Group and kind with defaults, and a namespace: a reference to a Secret, say. */
    static Schema.Fields reference(String group, String kind) {
        return object(
                defaulted("group", GROUP, group),
                defaulted("kind", KIND, kind),
                required("name", NAME),
                optional("namespace", NAMESPACE));
    }

    static final Schema.Fields LOCAL_REFERENCE =
            object(required("group", GROUP), required("kind", KIND), required("name", NAME));
    static final Schema.Fields FULL_REFERENCE = object(
            required("group", GROUP), required("kind", KIND), required("name", NAME), optional("namespace", NAMESPACE));
    static final Schema.Fields LABEL_SELECTOR = object(
            optional("matchLabels", table(text())),
            optional(
                    "matchExpressions",
                    list(object(
                            required("key", text()),
                            required("operator", text().oneOf("In", "NotIn", "Exists", "DoesNotExist")),
                            optional("values", list(text()))))));

    private Names() {}

    static TextPattern pattern(String source, String words) {
        return new TextPattern(source, Pattern.compile(source), words);
    }

    static GroupKind type(ValidObject object) {
        return new GroupKind(object.text("group"), object.text("kind"));
    }

    static ObjectRef ref(ValidObject object) {
        return new ObjectRef(type(object), object.optionalText("namespace"), object.text("name"));
    }

    static Optional<Port> port(ValidObject object, String field) {
        return object.optionalWhole(field).map(Port::new);
    }

    /** A hostname that its shape has found to be one. */
    static Hostname hostname(String text) {
        return Hostname.parse(text).orElseThrow(() -> new IllegalStateException("not a hostname: " + text));
    }

    static LabelSelector selector(ValidObject object) {
        return new LabelSelector(
                object.table("matchLabels"),
                object.objects("matchExpressions").stream()
                        .map(Names::requirement)
                        .toList());
    }

    private static LabelSelector.Requirement requirement(ValidObject object) {
        LabelSelector.Operator operator = switch (object.text("operator")) {
            case "In" -> LabelSelector.Operator.IN;
            case "NotIn" -> LabelSelector.Operator.NOT_IN;
            case "Exists" -> LabelSelector.Operator.EXISTS;
            default -> LabelSelector.Operator.DOES_NOT_EXIST;
        };
        return new LabelSelector.Requirement(object.text("key"), operator, object.texts("values"));
    }

    /** The name of a constant as the API writes it: {@code AllowValidOnly} for {@code ALLOW_VALID_ONLY}. */
    static <E extends Enum<E>> E constant(Class<E> type, String camelCase) {
        String snake = camelCase.replaceAll("(?<=[a-z])(?=[A-Z])", "_").toUpperCase(Locale.ROOT);
        return Enum.valueOf(type, snake.replace("_I_P", "_IP"));
    }
}
