package dev.shellac.operator.controller;

import dev.shellac.kube.watch.Definitions;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.Snapshot;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.gateway.GatewayClass;
import dev.shellac.operator.write.GatewayClassFinalizer.Use;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;

/** Which GatewayClasses of ours have Gateways. */
final class ClassUse {
    private ClassUse() {}

    static boolean isOurs(Gateway gateway, Snapshot snapshot, String controller) {
        return of(gateway, snapshot)
                .filter(found -> found.controllerName().equals(controller))
                .isPresent();
    }

    /** Whether it is somebody else's. A class that is not there says nothing: what serves goes on serving. */
    static boolean isForeign(Gateway gateway, Snapshot snapshot, String controller) {
        return of(gateway, snapshot)
                .filter(found -> !found.controllerName().equals(controller))
                .isPresent();
    }

    private static Optional<GatewayClass> of(Gateway gateway, Snapshot snapshot) {
        return snapshot.find(GatewayClass.class, new Name("", gateway.className()));
    }

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
