package dev.shellac.model.route;

import dev.shellac.model.ObjectRef;
import dev.shellac.model.Port;
import java.util.List;
import java.util.Optional;

/** A backend of a rule, its share of the requests, and what is done to those alone. */
public record BackendRef(ObjectRef target, Optional<Port> port, int weight, List<Filter> filters) {
    public BackendRef {
        filters = List.copyOf(filters);
    }
}
