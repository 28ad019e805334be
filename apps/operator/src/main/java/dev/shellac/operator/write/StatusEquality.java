package dev.shellac.operator.write;

import dev.shellac.model.status.CacheInvalidationStatus;
import dev.shellac.model.status.Condition;
import dev.shellac.model.status.ConditionSet;
import dev.shellac.model.status.GatewayClassStatus;
import dev.shellac.model.status.GatewayStatus;
import dev.shellac.model.status.ListenerSetStatus;
import dev.shellac.model.status.ListenerStatus;
import dev.shellac.model.status.PolicyStatus;
import dev.shellac.model.status.RouteStatus;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Whether what an object says already is what it shall say: in our own conditions and entries, whatever their times and order.
 *
 * @param controller our name
 * @param ours the types of conditions that are ours
 */
record StatusEquality(String controller, Set<String> ours) {
    StatusEquality {
        ours = Set.copyOf(ours);
    }

    boolean same(GatewayClassStatus wanted, GatewayClassStatus there) {
        return same(wanted.conditions(), there.conditions())
                && wanted.supportedFeatures().equals(there.supportedFeatures());
    }

    boolean same(GatewayStatus wanted, GatewayStatus there) {
        return wanted.addresses().equals(there.addresses())
                && wanted.attachedListenerSets() == there.attachedListenerSets()
                && same(wanted.conditions(), there.conditions())
                && same(wanted.listeners(), there.listeners());
    }

    boolean same(ListenerSetStatus wanted, ListenerSetStatus there) {
        return same(wanted.conditions(), there.conditions()) && same(wanted.listeners(), there.listeners());
    }

    boolean same(CacheInvalidationStatus wanted, CacheInvalidationStatus there) {
        return wanted.phase().equals(there.phase()) && same(wanted.conditions(), there.conditions());
    }

    boolean same(RouteStatus wanted, RouteStatus there) {
        return entries(wanted).equals(entries(there));
    }

    boolean same(PolicyStatus wanted, PolicyStatus there) {
        return entries(wanted).equals(entries(there));
    }

    private Set<Object> entries(RouteStatus status) {
        return status.parents().stream()
                .filter(parent -> parent.controllerName().equals(controller))
                .map(parent -> List.of(parent.parentRef(), plain(parent.conditions())))
                .collect(Collectors.toCollection(HashSet::new));
    }

    private Set<Object> entries(PolicyStatus status) {
        return status.ancestors().stream()
                .filter(ancestor -> ancestor.controllerName().equals(controller))
                .map(ancestor -> List.of(ancestor.ancestorRef(), plain(ancestor.conditions())))
                .collect(Collectors.toCollection(HashSet::new));
    }

    private boolean same(List<ListenerStatus> wanted, List<ListenerStatus> there) {
        if (wanted.size() != there.size()) {
            return false;
        }
        for (int i = 0; i < wanted.size(); i++) {
            ListenerStatus one = wanted.get(i);
            ListenerStatus other = there.get(i);
            if (!one.name().equals(other.name())
                    || one.attachedRoutes() != other.attachedRoutes()
                    || !one.supportedKinds().equals(other.supportedKinds())
                    || !same(one.conditions(), other.conditions())) {
                return false;
            }
        }
        return true;
    }

    private boolean same(ConditionSet wanted, ConditionSet there) {
        return plain(wanted).equals(plain(there));
    }

    private Set<Condition> plain(ConditionSet conditions) {
        return conditions.conditions().stream()
                .filter(condition -> ours.contains(condition.type()))
                .map(condition -> new Condition(
                        condition.type(),
                        condition.state(),
                        condition.reason(),
                        condition.message(),
                        condition.observedGeneration(),
                        Optional.empty()))
                .collect(Collectors.toSet());
    }
}
