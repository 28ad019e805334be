package dev.shellac.model.persistent;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Goes through two trees at once. A subtree that both share is skipped where both have come to it; the larger of two that are not is
 * taken apart. So the cost is that of the paths to what differs.
 */
@SuppressWarnings("ReferenceEquality") // to share is to be the same object
final class Differences<K, V> {
    private @Nullable TreeCursor<K, V> before;
    private @Nullable TreeCursor<K, V> after;

    private Differences(@Nullable Node<K, V> before, @Nullable Node<K, V> after) {
        this.before = TreeCursor.over(before);
        this.after = TreeCursor.over(after);
    }

    static <K, V> List<Change<K, V>> between(
            @Nullable Node<K, V> before, @Nullable Node<K, V> after, Comparator<? super K> order) {
        return before == after ? List.of() : new Differences<>(before, after).changes(order);
    }

    /** Whether the values are equal, one by one, whatever the keys are. */
    static <K, V> boolean sameValues(@Nullable Node<K, V> one, @Nullable Node<K, V> other) {
        if (Node.size(one) != Node.size(other)) {
            return false;
        }
        var both = new Differences<>(one, other);
        while (both.toEntries()) {
            TreeCursor<K, V> left = both.before;
            TreeCursor<K, V> right = both.after;
            if (left == null || right == null) {
                throw new IllegalStateException("trees of one size end together");
            }
            if (!isSame(left.node().value, right.node().value)) {
                return false;
            }
            both.before = left.rest();
            both.after = right.rest();
        }
        return true;
    }

    private List<Change<K, V>> changes(Comparator<? super K> order) {
        var changes = new ArrayList<Change<K, V>>();
        while (toEntries()) {
            Node<K, V> old = before == null ? null : before.node();
            Node<K, V> fresh = after == null ? null : after.node();
            int side = old == null ? 1 : fresh == null ? -1 : order.compare(old.key, fresh.key);
            if (side <= 0 && before != null) {
                before = before.rest();
            }
            if (side >= 0 && after != null) {
                after = after.rest();
            }
            if (old != null && side < 0) {
                changes.add(new Change<>(old.key, Optional.of(old.value), Optional.empty()));
            } else if (fresh != null && side > 0) {
                changes.add(new Change<>(fresh.key, Optional.empty(), Optional.of(fresh.value)));
            } else if (old != null && fresh != null && !isSame(old.value, fresh.value)) {
                changes.add(new Change<>(fresh.key, Optional.of(old.value), Optional.of(fresh.value)));
            }
        }
        return changes;
    }

    // Skips what is shared until each side stands at one entry or at its end; false at the end of both.
    private boolean toEntries() {
        while (true) {
            TreeCursor<K, V> old = before;
            TreeCursor<K, V> fresh = after;
            if (old != null && fresh != null && old.isWhole() && fresh.isWhole() && old.node() == fresh.node()) {
                before = old.rest();
                after = fresh.rest();
                continue;
            }
            int oldSize = old != null && old.isWhole() ? old.size() : 0;
            int freshSize = fresh != null && fresh.isWhole() ? fresh.size() : 0;
            if (oldSize == 0 && freshSize == 0) {
                return old != null || fresh != null;
            }
            if (old != null && oldSize >= freshSize) {
                before = old.opened();
            }
            if (fresh != null && freshSize >= oldSize) {
                after = fresh.opened();
            }
        }
    }

    private static boolean isSame(Object one, Object other) {
        return one == other || one.equals(other);
    }
}
