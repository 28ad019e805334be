package dev.shellac.kube.watch;

import dev.shellac.model.GroupKind;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Which of our kinds the server has, and from which release of Gateway API.
 *
 * @param bundles the releases that the definitions say they are from: one, where nobody mixed them
 * @param channels {@code standard} or {@code experimental}
 */
public record Definitions(Map<GroupKind, ServedKind> served, SortedSet<String> bundles, SortedSet<String> channels) {
    public static final Definitions NONE = new Definitions(Map.of(), new TreeSet<>(), new TreeSet<>());

    public Definitions {
        served = Map.copyOf(served);
        bundles = Collections.unmodifiableSortedSet(new TreeSet<>(bundles));
        channels = Collections.unmodifiableSortedSet(new TreeSet<>(channels));
    }

    public Optional<ServedKind> find(GroupKind type) {
        return Optional.ofNullable(served.get(type));
    }
}
