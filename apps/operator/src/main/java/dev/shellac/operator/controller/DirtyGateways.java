package dev.shellac.operator.controller;

import dev.shellac.model.DataPlane;
import dev.shellac.model.Name;
import dev.shellac.model.Resource;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.ConfigMap;
import dev.shellac.model.core.SecretObject;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.gateway.GatewayClass;
import dev.shellac.model.persistent.Change;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.model.policy.GatewayClassParameters;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The Gateways that something is to be done about in a turn. */
final class DirtyGateways {
    /** What children are made of, besides the Gateway and its plan. */
    private static final List<Class<? extends Resource>> INPUTS_OF_CHILDREN =
            List.of(GatewayClass.class, GatewayClassParameters.class, SecretObject.class, ConfigMap.class);

    final Set<Name> reporting = new TreeSet<>();
    final Set<Name> writing = new TreeSet<>();
    final Set<Name> applying = new TreeSet<>();
    /** Those whose children have waited for a write that has ended. They wait for no other: with a change during each write they would wait for ever. */
    final Set<Name> deferred = new TreeSet<>();

    /** Those that changed themselves, and all where what they are furnished with did. */
    void since(Snapshot before, Snapshot now) {
        for (Change<Name, Gateway> change : now.changesSince(before, Gateway.class)) {
            reporting.add(change.key());
            // A status of ours comes back as a change too.
            if (!change.before().map(Gateway::meta).equals(change.after().map(Gateway::meta))) {
                writing.add(change.key());
            }
        }
        if (INPUTS_OF_CHILDREN.stream()
                .anyMatch(kind -> !now.changesSince(before, kind).isEmpty())) {
            now.all(Gateway.class).forEach(gateway -> {
                reporting.add(gateway.meta().name());
                applying.add(gateway.meta().name());
            });
        }
    }

    /** Those whose pods refuse a VCL, or do not any more: what pods begin with depends on it. */
    void refused(PersistentMap<Name, DataPlane> before, PersistentMap<Name, DataPlane> now) {
        for (Change<Name, DataPlane> change : now.changesSince(before)) {
            if (!change.before()
                    .flatMap(DataPlane::vclFault)
                    .equals(change.after().flatMap(DataPlane::vclFault))) {
                writing.add(change.key());
            }
        }
    }

    /** Those whose children are to be looked at. */
    Set<Name> withChildren() {
        var all = new TreeSet<>(writing);
        all.addAll(applying);
        all.addAll(deferred);
        return all;
    }
}
