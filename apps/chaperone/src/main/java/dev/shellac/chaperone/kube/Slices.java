package dev.shellac.chaperone.kube;

import dev.shellac.model.Name;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.model.persistent.PersistentMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The EndpointSlices that are known.
 *
 * @param listed the namespaces whose slices were all read, at least once
 * @param faults by namespace, why it cannot be read right now
 * @param leftOut Services with more endpoints than there is room for
 * @param changes how many changes there were
 */
public record Slices(
        PersistentMap<Name, EndpointSlice> all,
        Set<String> listed,
        Map<String, String> faults,
        Set<Name> leftOut,
        long changes) {
    public static final Slices NONE = new Slices(PersistentMap.empty(), Set.of(), Map.of(), Set.of(), 0);

    public Slices {
        listed = Set.copyOf(listed);
        faults = Map.copyOf(faults);
        leftOut = Set.copyOf(leftOut);
    }

    /** The Services that have at least one, be there room for it or not. */
    public Set<Name> services() {
        var services = new HashSet<>(leftOut);
        all.forEach((name, slice) ->
                slice.service().ifPresent(service -> services.add(new Name(name.namespace(), service))));
        return services;
    }
}
