package dev.shellac.model.gateway;

import dev.shellac.model.GroupKind;
import java.util.List;

/** Which routes may attach to a listener; no kinds means all that suit its protocol. */
public record AllowedRoutes(NamespacePolicy namespaces, List<GroupKind> kinds) {
    public AllowedRoutes {
        kinds = List.copyOf(kinds);
    }
}
