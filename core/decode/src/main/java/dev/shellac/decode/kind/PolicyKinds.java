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
import dev.shellac.model.Hostname;
import dev.shellac.model.Metadata;
import dev.shellac.model.policy.BackendTlsPolicy;
import dev.shellac.model.policy.BackendTlsPolicy.SubjectAltName;
import dev.shellac.model.policy.BackendTlsPolicy.Target;
import dev.shellac.model.policy.BackendTlsPolicy.Trust;
import dev.shellac.model.policy.BackendTlsPolicy.Validation;
import dev.shellac.model.policy.ReferenceGrant;
import dev.shellac.model.status.PolicyStatus;
import java.util.HashSet;
import java.util.List;

/** ReferenceGrant and BackendTLSPolicy. */
final class PolicyKinds {
    private static final Schema.Text URI = text().length(1, 253)
            .matching(Names.pattern("^(([^:/?#]+):)(//([^/?#]*))([^?#]*)(\\?([^#]*))?(#(.*))?", "a URI"));
    private static final Schema.Text WELL_KNOWN = text().length(1, 253)
            .matching(Names.pattern(
                    "^(System|(" + Names.SUBDOMAIN + "/([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]))$",
                    "System or domain/name"));

    static final KindDecoder REFERENCE_GRANT = new KindDecoder(
            GroupKind.REFERENCE_GRANT,
            List.of("v1", "v1beta1"),
            Scope.NAMESPACED,
            object(required(
                    "spec",
                    object(
                            required(
                                    "from",
                                    list(object(
                                                    required("group", Names.GROUP),
                                                    required("kind", Names.KIND),
                                                    required("namespace", Names.NAMESPACE)))
                                            .size(1, 16)),
                            required(
                                    "to",
                                    list(object(
                                                    required("group", Names.GROUP),
                                                    required("kind", Names.KIND),
                                                    optional("name", Names.NAME)))
                                            .size(1, 16))))),
            PolicyKinds::grant);

    private static final Schema.Fields SUBJECT_ALT_NAME = object(
                    optional("hostname", Names.HOSTNAME),
                    required("type", text().oneOf("Hostname", "URI")),
                    optional("uri", URI))
            .rule(
                    "SubjectAltName element must contain Hostname, if Type is set to Hostname, and with no other",
                    name -> name.has("hostname") == name.is("type", "Hostname"))
            .rule(
                    "SubjectAltName element must contain URI, if Type is set to URI, and with no other",
                    name -> name.has("uri") == name.is("type", "URI"));

    private static final Schema.Fields VALIDATION = object(
                    optional("caCertificateRefs", list(Names.LOCAL_REFERENCE).size(1, 8)),
                    required("hostname", Names.PRECISE_HOSTNAME),
                    optional("subjectAltNames", list(SUBJECT_ALT_NAME).most(5)),
                    optional("wellKnownCACertificates", WELL_KNOWN))
            .rule(
                    "exactly one of the fields in [caCertificateRefs wellKnownCACertificates] must be set",
                    validation -> validation.has("caCertificateRefs") != validation.has("wellKnownCACertificates"));

    private static final Schema.Fields TARGET = object(
            required("group", Names.GROUP),
            required("kind", Names.KIND),
            required("name", Names.NAME),
            optional("sectionName", Names.SECTION));

    static final KindDecoder BACKEND_TLS_POLICY = new KindDecoder(
                    GroupKind.BACKEND_TLS_POLICY,
                    List.of("v1", "v1alpha3"),
                    Scope.NAMESPACED,
                    object(
                            required(
                                    "spec",
                                    object(
                                            optional("options", Listeners.TLS_OPTIONS),
                                            required(
                                                    "targetRefs",
                                                    list(TARGET)
                                                            .size(1, 16)
                                                            .rule(
                                                                    "sectionName must be specified when targetRefs includes 2 or more"
                                                                            + " references to the same target",
                                                                    PolicyKinds::saySectionAlike)
                                                            .rule(
                                                                    "sectionName must be unique when targetRefs includes 2 or more"
                                                                            + " references to the same target",
                                                                    PolicyKinds::areDistinct)),
                                            required("validation", VALIDATION))),
                            optional("status", Statuses.POLICY)),
                    PolicyKinds::backendTls)
            .withOutline(
                    object(
                            required(
                                    "spec",
                                    object(required("targetRefs", list(TARGET.open())))
                                            .open()),
                            optional("status", Statuses.POLICY)),
                    PolicyKinds::outline);

    private PolicyKinds() {}

    private static List<Object> target(ValidObject ref) {
        return List.of(ref.text("group"), ref.text("kind"), ref.text("name"));
    }

    private static boolean saySectionAlike(List<ValidObject> refs) {
        return refs.stream()
                .allMatch(one -> refs.stream()
                        .filter(other -> target(one).equals(target(other)))
                        .allMatch(other -> one.has("sectionName") == other.has("sectionName")));
    }

    private static boolean areDistinct(List<ValidObject> refs) {
        var seen = new HashSet<List<Object>>();
        return refs.stream().allMatch(ref -> seen.add(List.of(target(ref), ref.optionalText("sectionName"))));
    }

    private static ReferenceGrant grant(Metadata meta, ValidObject object) {
        ValidObject spec = object.object("spec");
        return new ReferenceGrant(
                meta,
                spec.objects("from").stream()
                        .map(from -> new ReferenceGrant.From(Names.type(from), from.text("namespace")))
                        .toList(),
                spec.objects("to").stream()
                        .map(to -> new ReferenceGrant.To(Names.type(to), to.optionalText("name")))
                        .toList());
    }

    private static BackendTlsPolicy backendTls(Metadata meta, ValidObject object) {
        ValidObject spec = object.object("spec");
        ValidObject validation = spec.object("validation");
        Trust trust = validation
                .optionalText("wellKnownCACertificates")
                .<Trust>map(Trust.WellKnown::new)
                .orElseGet(() -> new Trust.Authorities(validation.objects("caCertificateRefs").stream()
                        .map(Names::ref)
                        .toList()));
        return new BackendTlsPolicy(
                meta,
                targets(spec),
                new Validation(
                        trust,
                        Names.hostname(validation.text("hostname")),
                        validation.objects("subjectAltNames").stream()
                                .map(PolicyKinds::subjectAltName)
                                .toList()),
                object.optionalObject("status").map(Statuses::ofPolicy).orElse(PolicyStatus.NONE));
    }

    private static List<Target> targets(ValidObject spec) {
        return spec.objects("targetRefs").stream()
                .map(ref -> new Target(Names.type(ref), ref.text("name"), ref.optionalText("sectionName")))
                .toList();
    }

    // Whom it concerns, and nobody to trust.
    private static BackendTlsPolicy outline(Metadata meta, ValidObject object) {
        return new BackendTlsPolicy(
                meta,
                targets(object.object("spec")),
                new Validation(new Trust.Authorities(List.of()), Hostname.ANY, List.of()),
                object.optionalObject("status").map(Statuses::ofPolicy).orElse(PolicyStatus.NONE));
    }

    private static SubjectAltName subjectAltName(ValidObject object) {
        return object.is("type", "Hostname")
                ? new SubjectAltName.Dns(Names.hostname(object.text("hostname")))
                : new SubjectAltName.Uri(object.text("uri"));
    }
}
