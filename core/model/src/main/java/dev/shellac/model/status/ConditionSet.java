package dev.shellac.model.status;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The conditions of one object or one part of it, at most one of each type. */
public record ConditionSet(List<Condition> conditions) {
    public static final ConditionSet NONE = new ConditionSet(List.of());

    public ConditionSet {
        conditions = List.copyOf(conditions);
    }

    public static ConditionSet of(Condition... conditions) {
        return new ConditionSet(List.of(conditions));
    }

    public Optional<Condition> find(String type) {
        return conditions.stream()
                .filter(condition -> condition.type().equals(type))
                .findFirst();
    }

    /** These conditions, and behind them what {@code before} held of types that are not {@code ours}. */
    public ConditionSet keepingForeign(ConditionSet before, Set<String> ours) {
        return new ConditionSet(Stream.concat(
                        conditions.stream(),
                        before.conditions.stream().filter(condition -> !ours.contains(condition.type())))
                .toList());
    }
}
