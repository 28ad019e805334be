package dev.shellac.model.gateway;

import dev.shellac.model.LabelSelector;
import java.util.Map;
import java.util.Optional;

/** From which namespaces something may come. */
public sealed interface NamespacePolicy {
    /** From anywhere. */
    record All() implements NamespacePolicy {}

    /** From the namespace of the object that says so. */
    record Same() implements NamespacePolicy {}

    /** From nowhere. */
    record None() implements NamespacePolicy {}

    /** From namespaces with these labels; a selector that is missing selects nothing. */
    record Selected(Optional<LabelSelector> selector) implements NamespacePolicy {}

    /**
     * Whether something of namespace {@code guest} may come to {@code home}.
     *
     * @param labels of the guest's namespace
     */
    default boolean admits(String guest, Map<String, String> labels, String home) {
        return switch (this) {
            case All all -> true;
            case Same same -> guest.equals(home);
            case None none -> false;
            case Selected selected ->
                selected.selector().map(selector -> selector.accepts(labels)).orElse(false);
        };
    }
}
