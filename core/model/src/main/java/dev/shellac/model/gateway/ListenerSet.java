package dev.shellac.model.gateway;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Metadata;
import dev.shellac.model.ObjectRef;
import dev.shellac.model.Resource;
import dev.shellac.model.status.ListenerSetStatus;
import java.util.List;

/** Listeners that somebody else adds to a Gateway. */
public record ListenerSet(Metadata meta, ObjectRef parent, List<Listener> listeners, ListenerSetStatus status)
        implements Resource {
    public ListenerSet {
        listeners = List.copyOf(listeners);
    }

    @Override
    public GroupKind type() {
        return GroupKind.LISTENER_SET;
    }
}
