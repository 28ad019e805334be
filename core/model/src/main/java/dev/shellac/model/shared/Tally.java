package dev.shellac.model.shared;

import java.util.Optional;

/** How often each thing was counted. What is counted no more is not there. */
public record Tally<K>(SharedMap<K, Integer> counts) {
    public static <K extends Comparable<? super K>> Tally<K> empty() {
        return new Tally<>(SharedMap.<K, Integer>empty());
    }

    public int of(K thing) {
        return Optional.ofNullable(counts.get(thing)).orElse(0);
    }

    public Tally<K> plus(K thing) {
        return new Tally<>(counts.with(thing, of(thing) + 1));
    }

    public Tally<K> minus(K thing) {
        int left = of(thing) - 1;
        if (left < 0) {
            throw new IllegalStateException(thing + " was never counted");
        }
        return new Tally<>(left == 0 ? counts.without(thing) : counts.with(thing, left));
    }
}
