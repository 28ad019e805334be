package dev.shellac.operator.loop;

import dev.shellac.kube.watch.Definitions;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.Snapshot;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.gateway.GatewayClass;
import dev.shellac.operator.write.ClassGuard.Use;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;

/** Which GatewayClasses of ours have Gateways. */
final class ClassUse {
    private ClassUse() {}

    /** By the path of the class. */
    static Map<String, Use> of(Snapshot snapshot, Definitions definitions, String controller) {
        var used = new HashSet<String>();
        snapshot.all(Gateway.class).forEach(gateway -> used.add(gateway.className()));
        var classes = new HashMap<String, Use>();
        for (GatewayClass found : snapshot.all(GatewayClass.class)) {
            if (found.controllerName().equals(controller)) {
                Name name = found.meta().name();
                definitions
                        .find(GroupKind.GATEWAY_CLASS)
                        .ifPresent(kind ->
                                classes.put(kind.path(name), used.contains(name.name()) ? Use.USED : Use.UNUSED));
            }
        }
        return classes;
    }
}
