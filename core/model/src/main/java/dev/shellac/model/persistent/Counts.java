package dev.shellac.model.persistent;

import java.util.Optional;

/** How often each thing was counted. What is counted no more is not there. */
public record Counts<K>(PersistentMap<K, Integer> counts) {
    public static <K extends Comparable<? super K>> Counts<K> empty() {
        return new Counts<>(PersistentMap.<K, Integer>empty());
    }

    public int of(K thing) {
        return Optional.ofNullable(counts.get(thing)).orElse(0);
    }

    public Counts<K> plus(K thing) {
        return new Counts<>(counts.with(thing, of(thing) + 1));
    }

    public Counts<K> minus(K thing) {
        int left = of(thing) - 1;
        if (left < 0) {
            throw new IllegalStateException(thing + " was never counted");
        }
        return new Counts<>(left == 0 ? counts.without(thing) : counts.with(thing, left));
    }
}
