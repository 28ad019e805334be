package dev.shellac.decode.kind;

import dev.shellac.decode.schema.Schema;
import dev.shellac.decode.schema.ValidObject;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Metadata;
import dev.shellac.model.Resource;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * How objects of one kind are read.
 *
 * @param versions those that the API serves; all have the same shape
 * @param schema of the whole object, without {@code apiVersion}, {@code kind} and {@code metadata}
 * @param outline how little of an object is enough to say to its author that the rest cannot be read; none where nobody is told
 */
public record KindDecoder(
        GroupKind type,
        List<String> versions,
        Scope scope,
        Schema.Fields schema,
        BiFunction<Metadata, ValidObject, Resource> record,
        Optional<Outline> outline) {
    /** Whether names are unique in a namespace or in the cluster. */
    public enum Scope {
        NAMESPACED,
        CLUSTER
    }

    /** Some fields of an object whose others do not count. */
    public record Outline(Schema.Fields schema, BiFunction<Metadata, ValidObject, Resource> record) {}

    public KindDecoder {
        versions = List.copyOf(versions);
    }

    KindDecoder(
            GroupKind type,
            List<String> versions,
            Scope scope,
            Schema.Fields schema,
            BiFunction<Metadata, ValidObject, Resource> record) {
        this(type, versions, scope, schema, record, Optional.empty());
    }

    KindDecoder withOutline(Schema.Fields fields, BiFunction<Metadata, ValidObject, Resource> outlined) {
        return new KindDecoder(
                type, versions, scope, schema, record, Optional.of(new Outline(fields.open(), outlined)));
    }
}
