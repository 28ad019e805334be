package dev.shellac.decode.kind;

import dev.shellac.decode.shape.Shape;
import dev.shellac.decode.shape.View;
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
 * @param shape of the whole object, without {@code apiVersion}, {@code kind} and {@code metadata}
 * @param outline how little of an object is enough to say to its author that the rest cannot be read; none where nobody is told
 */
public record KindDecoder(
        GroupKind type,
        List<String> versions,
        Scope scope,
        Shape.Fields shape,
        BiFunction<Metadata, View, Resource> record,
        Optional<Outline> outline) {
    /** Whether names are unique in a namespace or in the cluster. */
    public enum Scope {
        NAMESPACED,
        CLUSTER
    }

    /** Some fields of an object whose others do not count. */
    public record Outline(Shape.Fields shape, BiFunction<Metadata, View, Resource> record) {}

    public KindDecoder {
        versions = List.copyOf(versions);
    }

    KindDecoder(
            GroupKind type,
            List<String> versions,
            Scope scope,
            Shape.Fields shape,
            BiFunction<Metadata, View, Resource> record) {
        this(type, versions, scope, shape, record, Optional.empty());
    }

    KindDecoder withOutline(Shape.Fields fields, BiFunction<Metadata, View, Resource> outlined) {
        return new KindDecoder(type, versions, scope, shape, record, Optional.of(new Outline(fields.open(), outlined)));
    }
}
