package dev.shellac.model.persistent;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The entries of a tree in order, as whatever is made of them. */
final class Entries<K, V, E> implements Iterator<E> {
    private final Function<Node<K, V>, E> form;
    private @Nullable TreeCursor<K, V> rest;

    Entries(@Nullable Node<K, V> root, Function<Node<K, V>, E> form) {
        this.form = form;
        this.rest = TreeCursor.over(root);
    }

    @Override
    public boolean hasNext() {
        return rest != null;
    }

    @Override
    public E next() {
        TreeCursor<K, V> cursor = rest;
        if (cursor == null) {
            throw new NoSuchElementException();
        }
        while (cursor.isWhole()) {
            cursor = cursor.opened();
        }
        rest = cursor.rest();
        return form.apply(cursor.node());
    }
}
