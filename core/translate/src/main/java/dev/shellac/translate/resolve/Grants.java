package dev.shellac.translate.resolve;

import dev.shellac.model.ResourceId;
import dev.shellac.model.Snapshot;
import dev.shellac.model.policy.ReferenceGrant;
import java.util.Optional;

/** Who may name what across namespaces. */
public record Grants(Snapshot snapshot) {
    /** Why {@code holder} may not name {@code target}; nothing within a namespace or with a grant. */
    public Optional<Refusal> refusal(ResourceId holder, ResourceId target) {
        if (holder.namespace().equals(target.namespace())
                || snapshot.allIn(ReferenceGrant.class, target.namespace()).stream()
                        .anyMatch(grant -> grant.permits(holder, target))) {
            return Optional.empty();
        }
        return Optional.of(new Refusal(
                Reason.REF_NOT_PERMITTED,
                target + " is in another namespace, and no ReferenceGrant in " + target.namespace()
                        + " lets objects of kind " + holder.type().kind() + " in " + holder.namespace()
                        + " refer to it"));
    }
}
