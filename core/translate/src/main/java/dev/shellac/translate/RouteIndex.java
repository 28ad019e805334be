package dev.shellac.translate;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Hostname;
import dev.shellac.model.Name;
import dev.shellac.model.ResourceId;
import dev.shellac.model.persistent.Counts;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.translate.plan.HostPlan;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What was decided about every route, and what follows from all of them together. A change of one route changes the entries
 * that are about it.
 *
 * @param routes by route
 * @param users the route of each {@link Use}: who names a Service, or whatever else stands in its place
 * @param attached how many routes each listener has, by its key
 * @param reached how many routes lead from a Gateway to an object
 * @param hosts by Gateway and hostname; no host without a route
 * @param room what routes take of the tables of their Gateways
 */
record RouteIndex(
        PersistentMap<Name, TranslatedRoute> routes,
        PersistentMap<Use, Name> users,
        Counts<String> attached,
        Counts<Reach> reached,
        PersistentMap<Name, PersistentMap<Hostname, HostPlan>> hosts,
        TableRoom room) {
    static final RouteIndex EMPTY = new RouteIndex(
            PersistentMap.empty(),
            PersistentMap.empty(),
            Counts.empty(),
            Counts.empty(),
            PersistentMap.empty(),
            TableRoom.EMPTY);

    private static final Name FIRST = Name.firstOf("");

    /** A route names an object as its backend. */
    record Use(ResourceId target, Name route) implements Comparable<Use> {
        @Override
        public int compareTo(Use other) {
            int byTarget = target.compareTo(other.target);
            return byTarget == 0 ? route.compareTo(other.route) : byTarget;
        }
    }

    /** An object gets requests or copies of them from a Gateway. */
    record Reach(ResourceId target, Name gateway) implements Comparable<Reach> {
        private static final Comparator<Reach> ORDER =
                Comparator.comparing(Reach::target).thenComparing(Reach::gateway);

        @Override
        public int compareTo(Reach other) {
            return ORDER.compare(this, other);
        }
    }

    Optional<TranslatedRoute> find(Name route) {
        return Optional.ofNullable(routes.get(route));
    }

    /** The routes that name an object. */
    Stream<Name> usersOf(ResourceId target) {
        return users(target, following(target));
    }

    /** The routes that name an object of this type in a namespace. */
    Stream<Name> usersOf(GroupKind type, String namespace) {
        return users(new ResourceId(type, Name.firstOf(namespace)), new ResourceId(type, Name.firstAfter(namespace)));
    }

    /** The Gateways that send requests or copies of them to an object, in order. */
    List<Name> gatewaysTo(ResourceId target) {
        return reached.counts().between(new Reach(target, FIRST), new Reach(following(target), FIRST)).stream()
                .map(found -> found.getKey().gateway())
                .toList();
    }

    PersistentMap<Hostname, HostPlan> hostsOf(Name gateway) {
        return Optional.ofNullable(hosts.get(gateway)).orElseGet(PersistentMap::empty);
    }

    private Stream<Name> users(ResourceId from, ResourceId to) {
        return users.between(new Use(from, FIRST), new Use(to, FIRST)).stream().map(Map.Entry::getValue);
    }

    // The least of all that are greater.
    private static ResourceId following(ResourceId id) {
        return ResourceId.of(id.type(), id.namespace(), id.name().name() + '\0');
    }
}
