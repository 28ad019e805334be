package dev.shellac.operator.pods;

import java.util.List;

/**
 * Objects that have the names of a Gateway's children and are not its own, in words.
 *
 * @param conflicts those that stay
 * @param leaving those of a deleted Gateway of the same name, which the garbage collector deletes
 */
public record Obstacles(List<String> conflicts, List<String> leaving) {
    public static final Obstacles NONE = new Obstacles(List.of(), List.of());

    public Obstacles {
        conflicts = List.copyOf(conflicts);
        leaving = List.copyOf(leaving);
    }
}
