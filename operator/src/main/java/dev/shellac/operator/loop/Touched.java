package dev.shellac.operator.loop;

import dev.shellac.model.Name;
import java.util.Set;
import java.util.TreeSet;

/** The Gateways that something is to be done about in a turn. */
final class Touched {
    final Set<Name> reporting = new TreeSet<>();
    final Set<Name> writing = new TreeSet<>();
    final Set<Name> furnishing = new TreeSet<>();

    /** Those whose children are to be looked at. */
    Set<Name> withChildren() {
        var all = new TreeSet<>(writing);
        all.addAll(furnishing);
        return all;
    }
}
