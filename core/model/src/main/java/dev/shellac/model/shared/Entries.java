package dev.shellac.model.shared;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The entries of a tree in order, as whatever is made of them. */
final class Entries<K, V, E> implements Iterator<E> {
    private final Function<Node<K, V>, E> form;
    private @Nullable Walk<K, V> rest;

    Entries(@Nullable Node<K, V> root, Function<Node<K, V>, E> form) {
        this.form = form;
        this.rest = Walk.over(root);
    }

    @Override
    public boolean hasNext() {
        return rest != null;
    }

    @Override
    public E next() {
        Walk<K, V> walk = rest;
        if (walk == null) {
            throw new NoSuchElementException();
        }
        while (walk.isWhole()) {
            walk = walk.opened();
        }
        rest = walk.rest();
        return form.apply(walk.node());
    }
}
