package dev.shellac.decode;

import static dev.shellac.decode.shape.Shape.object;
import static dev.shellac.decode.shape.Shape.optional;
import static dev.shellac.decode.shape.Shape.required;
import static dev.shellac.decode.shape.Shape.table;
import static dev.shellac.decode.shape.Shape.text;
import static dev.shellac.decode.shape.Shape.whole;

import dev.shellac.decode.Decoded.Located;
import dev.shellac.decode.Finding.Severity;
import dev.shellac.decode.kind.KindDecoder;
import dev.shellac.decode.kind.Kinds;
import dev.shellac.decode.shape.Fitting;
import dev.shellac.decode.shape.Fitting.Standing;
import dev.shellac.decode.shape.Shape;
import dev.shellac.decode.shape.View;
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
    private static final Shape.Text TIME = text().rule("is not a time such as 2026-01-31T12:00:00Z", Decoder::isTime);
    private static final Shape.Fields METADATA = object(
                    required("name", text().length(1, MOST_NAME_CHARACTERS)),
                    optional("namespace", text()),
                    optional("uid", text()),
                    optional("generation", whole()),
                    optional("creationTimestamp", TIME),
                    optional("deletionTimestamp", TIME),
                    optional("labels", table(text()).nullsAreEmptyText()),
                    optional("annotations", table(text()).nullsAreEmptyText()))
            .open();

    private final Standing standing;
    /** Why objects are not read, whatever they hold. */
    private final Optional<String> refusal;

    private final Map<ResourceId, Located> objects = new LinkedHashMap<>();
    private final List<Finding> findings = new ArrayList<>();

    private Decoder(Standing standing, Optional<String> refusal) {
        this.standing = standing;
        this.refusal = refusal;
    }

    /** Objects that nobody looked at yet. */
    public static Decoded decode(Collection<Source> sources) {
        return decode(sources, Standing.NEW);
    }

    /**
     * Objects that an API server has stored. One of ours may be older than the rules of its definition; what contradicts itself
     * there is for the translation to say. So is what cannot be read of a Gateway, a route or parameters: they are there, and say why
     * ({@link Metadata#unread()}).
     */
    public static Decoded decodeStored(Collection<Source> sources) {
        return decode(sources, Standing.STORED);
    }

    /** An object that an API server has stored, of which nothing is kept but what its status needs to say why. */
    public static Decoded decodeOutline(Source source, String why) {
        return decode(List.of(source), new Decoder(Standing.STORED, Optional.of(why)));
    }

    private static Decoded decode(Collection<Source> sources, Standing standing) {
        return decode(sources, new Decoder(standing, Optional.empty()));
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
        Fitting.Fitted fitted = Fitting.fit(said, mapping, withMetadata(kind.shape()), standing);
        findings.addAll(fitted.findings());
        if (fitted.isUsable()) {
            View view = new View(fitted.tree());
            Resource resource = kind.record().apply(metadata(view.object("metadata"), kind), view);
            keep(new Located(resource, mapping.at()));
        } else if (standing == Standing.STORED) {
            kind.outline().ifPresent(outline -> outline(mapping, kind, outline, fitted.firstError()));
        }
    }

    // The server took it, so its author is not to be left without a word.
    private void outline(Node.Mapping mapping, KindDecoder kind, KindDecoder.Outline outline, String why) {
        Fitting.Fitted fitted = Fitting.fit("", mapping, withMetadata(outline.shape()), standing);
        if (fitted.isUsable()) {
            View view = new View(fitted.tree());
            Metadata meta = metadata(view.object("metadata"), kind).outline(why);
            keep(new Located(outline.record().apply(meta, view), mapping.at()));
        }
    }

    private static Shape.Fields withMetadata(Shape.Fields kind) {
        var fields = new ArrayList<Shape.Field>();
        fields.add(required("apiVersion", text()));
        fields.add(required("kind", text()));
        fields.add(required("metadata", METADATA));
        fields.addAll(kind.byName().values());
        Shape.Fields shape = object(fields.toArray(Shape.Field[]::new));
        return kind.others() == Shape.Others.IGNORED ? shape.open() : shape;
    }

    private void keep(Located found) {
        Located first = objects.putIfAbsent(found.resource().id(), found);
        if (first != null) {
            findings.add(found.namesake(first));
        }
    }

    private static Metadata metadata(View view, KindDecoder kind) {
        String namespace = switch (kind.scope()) {
            case CLUSTER -> "";
            case NAMESPACED ->
                view.optionalText("namespace").filter(found -> !found.isEmpty()).orElse(DEFAULT_NAMESPACE);
        };
        return new Metadata(
                new Name(namespace, view.text("name")),
                view.optionalText("uid").orElse(""),
                view.optionalLong("generation").orElse(0L),
                view.optionalText("creationTimestamp").map(Instant::parse),
                view.optionalText("deletionTimestamp").map(Instant::parse),
                view.table("labels"),
                view.table("annotations"));
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
