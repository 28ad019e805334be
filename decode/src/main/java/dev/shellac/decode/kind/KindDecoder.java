package dev.shellac.decode.kind;

import dev.shellac.decode.shape.Shape;
import dev.shellac.decode.shape.View;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Metadata;
import dev.shellac.model.Resource;
import java.util.List;
import java.util.function.BiFunction;

/**
 * How objects of one kind are read.
 *
 * @param versions those that the API serves; all have the same shape
 * @param shape of the whole object, without {@code apiVersion}, {@code kind} and {@code metadata}
 */
public record KindDecoder(
        GroupKind type,
        List<String> versions,
        Scope scope,
        Shape.Fields shape,
        BiFunction<Metadata, View, Resource> record) {
    /** Whether names are unique in a namespace or in the cluster. */
    public enum Scope {
        NAMESPACED,
        CLUSTER
    }

    public KindDecoder {
        versions = List.copyOf(versions);
    }
}
