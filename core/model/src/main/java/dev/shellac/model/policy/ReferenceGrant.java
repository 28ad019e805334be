package dev.shellac.model.policy;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Metadata;
import dev.shellac.model.Resource;
import dev.shellac.model.ResourceId;
import java.util.List;
import java.util.Optional;

/** That objects of other namespaces may name objects of this one. */
public record ReferenceGrant(Metadata meta, List<From> from, List<To> to) implements Resource {
    /** Who may refer. */
    public record From(GroupKind type, String namespace) {}

    /** To what; without a name, to all of the type. */
    public record To(GroupKind type, Optional<String> name) {}

    public ReferenceGrant {
        from = List.copyOf(from);
        to = List.copyOf(to);
    }

    @Override
    public GroupKind type() {
        return GroupKind.REFERENCE_GRANT;
    }

    /** One {@code from} and one {@code to} of the same grant must fit, each in all of its parts. */
    public boolean permits(ResourceId holder, ResourceId target) {
        return target.namespace().equals(meta.name().namespace())
                && from.stream()
                        .anyMatch(source -> source.type().equals(holder.type())
                                && source.namespace().equals(holder.namespace()))
                && to.stream()
                        .anyMatch(goal -> goal.type().equals(target.type())
                                && goal.name().map(target.name().name()::equals).orElse(true));
    }
}
