package dev.shellac.translate.attach;

import dev.shellac.model.Name;
import dev.shellac.model.route.ParentRef;
import dev.shellac.translate.resolve.Refusal;
import java.util.List;
import java.util.Optional;

/**
 * What became of one parent reference of a route.
 *
 * @param gateway the Gateway behind the parent; none where the parent is not there
 * @param listeners those that it attached to
 */
public record Attachment(
        ParentRef parent, Optional<Name> gateway, Optional<Refusal> refusal, List<BoundListener> listeners) {
    public Attachment {
        listeners = List.copyOf(listeners);
    }

    /** The same, not accepted. */
    public Attachment refused(Refusal why) {
        return new Attachment(parent, gateway, Optional.of(why), List.of());
    }
}
