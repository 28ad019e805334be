package dev.shellac.decode;

import static dev.shellac.decode.schema.Schema.object;
import static dev.shellac.decode.schema.Schema.optional;
import static dev.shellac.decode.schema.Schema.required;
import static dev.shellac.decode.schema.Schema.table;
import static dev.shellac.decode.schema.Schema.text;
import static dev.shellac.decode.schema.Schema.whole;

import dev.shellac.decode.Decoded.Located;
import dev.shellac.decode.Finding.Severity;
import dev.shellac.decode.kind.KindDecoder;
import dev.shellac.decode.kind.Kinds;
import dev.shellac.decode.schema.Schema;
import dev.shellac.decode.schema.SchemaValidator;
import dev.shellac.decode.schema.SchemaValidator.ObjectOrigin;
import dev.shellac.decode.schema.ValidObject;
import dev.shellac.decode.tree.Document;
import dev.shellac.decode.tree.Node;
import dev.shellac.decode.tree.Position;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Metadata;
import dev.shellac.model.Name;
import dev.shellac.model.Resource;
import dev.shellac.model.ResourceId;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads files. One that is broken takes no other with it, and neither does a bad object in a good file. */
public final class Decoder {
    private static final String DEFAULT_NAMESPACE = "default";
    private static final int MOST_NAME_CHARACTERS = 253;
    private static final Schema.Text TIME = text().rule("is not a time such as 2026-01-31T12:00:00Z", Decoder::isTime);
    private static final Schema.Fields METADATA = object(
                    required("name", text().length(1, MOST_NAME_CHARACTERS)),
                    optional("namespace", text()),
                    optional("uid", text()),
                    optional("generation", whole()),
                    optional("creationTimestamp", TIME),
                    optional("deletionTimestamp", TIME),
                    optional("labels", table(text()).nullsAreEmptyText()),
                    optional("annotations", table(text()).nullsAreEmptyText()))
            .open();

    private final ObjectOrigin origin;
    /** Why objects are not read, whatever they hold. */
    private final Optional<String> refusal;

    private final Map<ResourceId, Located> objects = new LinkedHashMap<>();
    private final List<Finding> findings = new ArrayList<>();

    private Decoder(ObjectOrigin origin, Optional<String> refusal) {
        this.origin = origin;
        this.refusal = refusal;
    }

    /** Objects that nobody looked at yet. */
    public static Decoded decode(Collection<Source> sources) {
        return decode(sources, ObjectOrigin.NEW);
    }

    /**
     * Objects that an API server has stored. One of ours may be older than the rules of its definition; what contradicts itself
     * there is for the translation to say. So is what cannot be read of a Gateway, a route or parameters: they are there, and say why
     * ({@link Metadata#decodeError()}).
     */
    public static Decoded decodeStored(Collection<Source> sources) {
        return decode(sources, ObjectOrigin.STORED);
    }

    /** An object that an API server has stored, of which nothing is kept but what its status needs to say why. */
    public static Decoded decodeOutline(Source source, String why) {
        return decode(List.of(source), new Decoder(ObjectOrigin.STORED, Optional.of(why)));
    }

    private static Decoded decode(Collection<Source> sources, ObjectOrigin origin) {
        return decode(sources, new Decoder(origin, Optional.empty()));
    }

    private static Decoded decode(Collection<Source> sources, Decoder decoder) {
        sources.forEach(decoder::source);
        return new Decoded(new ArrayList<>(decoder.objects.values()), decoder.findings);
    }

    private void source(Source source) {
        switch (source.read()) {
            case Document.Broken broken ->
                findings.add(new Finding(Severity.ERROR, broken.at(), "", "", "cannot be read: " + broken.message()));
            case Document.Parsed parsed -> parsed.roots().forEach(this::root);
        }
    }

    private void root(Node root) {
        if (!(root instanceof Node.Mapping mapping)) {
            refuse(root.at(), "", "", "must be an object with apiVersion, kind and metadata, not " + root.noun());
            return;
        }
        Optional<String> kind = word(mapping, "kind");
        Optional<String> version = word(mapping, "apiVersion");
        if (kind.isEmpty() || version.isEmpty()) {
            String field = kind.isEmpty() ? "kind" : "apiVersion";
            refuse(mapping.at(), "", field, "missing: without it nobody knows what this object is");
            return;
        }
        if (kind.get().endsWith("List") && mapping.find("items").isPresent()) {
            items(mapping);
            return;
        }
        int slash = version.get().indexOf('/');
        var type = new GroupKind(slash < 0 ? "" : version.get().substring(0, slash), kind.get());
        Kinds.find(type)
                .ifPresentOrElse(
                        decoder -> known(mapping, decoder, version.get().substring(slash + 1)),
                        () -> unknown(mapping, type));
    }

    private void items(Node.Mapping list) {
        Node items = list.find("items").orElseThrow();
        if (items instanceof Node.Sequence sequence) {
            sequence.items().forEach(this::root);
        } else {
            refuse(items.at(), "", "items", "must be a list, not " + items.noun());
        }
    }

    private void unknown(Node.Mapping mapping, GroupKind type) {
        Optional<String> nearest = Kinds.nearest(type);
        if (Kinds.concernsUs(type.group()) && nearest.isPresent()) {
            refuse(mapping.at(), "", "kind", "there is no " + type.kind() + "; do you mean " + nearest.get() + "?");
        } else if (Kinds.concernsUs(type.group())) {
            findings.add(new Finding(
                    Severity.WARNING, mapping.at(), "", "kind", type.kind() + " is not supported, it has no effect"));
        } else {
            findings.add(new Finding(
                    Severity.NOTE, mapping.at(), "", "kind", "a " + type + " is not for us, it is left alone"));
        }
    }

    private void known(Node.Mapping mapping, KindDecoder kind, String version) {
        String said = kind.type().kind() + " " + nameOf(mapping);
        if (!kind.versions().contains(version)) {
            refuse(
                    mapping.at(),
                    said,
                    "apiVersion",
                    "version " + version + " is not served; " + String.join(" and ", kind.versions()) + " are");
            return;
        }
        if (refusal.isPresent()) {
            refuse(mapping.at(), said, "", refusal.get());
            kind.outline().ifPresent(outline -> outline(mapping, kind, outline, refusal.get()));
            return;
        }
        SchemaValidator.Validated validated =
                SchemaValidator.validate(said, mapping, withMetadata(kind.schema()), origin);
        findings.addAll(validated.findings());
        if (validated.isUsable()) {
            ValidObject object = new ValidObject(validated.tree());
            Resource resource = kind.record().apply(metadata(object.object("metadata"), kind), object);
            keep(new Located(resource, mapping.at()));
        } else if (origin == ObjectOrigin.STORED) {
            kind.outline().ifPresent(outline -> outline(mapping, kind, outline, validated.firstError()));
        }
    }

    // The server took it, so its author is not to be left without a word.
    private void outline(Node.Mapping mapping, KindDecoder kind, KindDecoder.Outline outline, String why) {
        SchemaValidator.Validated validated =
                SchemaValidator.validate("", mapping, withMetadata(outline.schema()), origin);
        if (validated.isUsable()) {
            ValidObject object = new ValidObject(validated.tree());
            Metadata meta = metadata(object.object("metadata"), kind).outline(why);
            keep(new Located(outline.record().apply(meta, object), mapping.at()));
        }
    }

    private static Schema.Fields withMetadata(Schema.Fields kind) {
        var fields = new ArrayList<Schema.Field>();
        fields.add(required("apiVersion", text()));
        fields.add(required("kind", text()));
        fields.add(required("metadata", METADATA));
        fields.addAll(kind.byName().values());
        Schema.Fields schema = object(fields.toArray(Schema.Field[]::new));
        return kind.others() == Schema.Others.IGNORED ? schema.open() : schema;
    }

    private void keep(Located found) {
        Located first = objects.putIfAbsent(found.resource().id(), found);
        if (first != null) {
            findings.add(found.namesake(first));
        }
    }

    private static Metadata metadata(ValidObject object, KindDecoder kind) {
        String namespace = switch (kind.scope()) {
            case CLUSTER -> "";
            case NAMESPACED ->
                object.optionalText("namespace")
                        .filter(found -> !found.isEmpty())
                        .orElse(DEFAULT_NAMESPACE);
        };
        return new Metadata(
                new Name(namespace, object.text("name")),
                object.optionalText("uid").orElse(""),
                object.optionalLong("generation").orElse(0L),
                object.optionalText("creationTimestamp").map(Instant::parse),
                object.optionalText("deletionTimestamp").map(Instant::parse),
                object.table("labels"),
                object.table("annotations"));
    }

    private static boolean isTime(String text) {
        try {
            Instant.parse(text);
            return true;
        } catch (DateTimeParseException e) {
            return false;
        }
    }

    private static String nameOf(Node.Mapping mapping) {
        return mapping.find("metadata")
                .filter(Node.Mapping.class::isInstance)
                .map(Node.Mapping.class::cast)
                .map(meta -> word(meta, "namespace").map(found -> found + "/").orElse("")
                        + word(meta, "name").orElse("without a name"))
                .orElse("without metadata");
    }

    private static Optional<String> word(Node.Mapping mapping, String field) {
        return mapping.find(field)
                .filter(Node.Text.class::isInstance)
                .map(node -> ((Node.Text) node).value())
                .filter(text -> !text.isEmpty());
    }

    private void refuse(Position at, String object, String path, String message) {
        findings.add(new Finding(Severity.ERROR, at, object, path, message));
    }
}
