package dev.shellac.operator.children;

import dev.shellac.model.Hostname;
import dev.shellac.model.persistent.Change;
import dev.shellac.model.persistent.Counts;
import dev.shellac.model.persistent.PersistentList;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.translate.order.Precedence;
import dev.shellac.translate.plan.BackendShare;
import dev.shellac.translate.plan.FilterPlan;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.plan.HostPlan;
import dev.shellac.translate.plan.RoutePlan;
import dev.shellac.translate.plan.RoutePlan.Action;
import dev.shellac.translate.resolve.Backend;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The namespaces of the Services that a Gateway's routes lead to, counted: one changed route costs one route. For one thread. */
public final class ServiceNamespaces {
    private static final PersistentList<RoutePlan> NO_ROUTES =
            PersistentList.of(Precedence.FIRST_TRIED_FIRST, List.<RoutePlan>of());

    private PersistentList<HostPlan> last =
            PersistentMap.<Hostname, HostPlan>empty().values();
    private Counts<String> counted = Counts.empty();

    /** One that has seen nothing yet. */
    public ServiceNamespaces() {}

    public Set<String> of(GatewayPlan plan) {
        for (Change<Object, HostPlan> host : plan.hosts().changesSince(last)) {
            for (Change<Object, RoutePlan> route : routes(host.after()).changesSince(routes(host.before()))) {
                route.after()
                        .ifPresent(added -> namespaces(added).forEach(namespace -> counted = counted.plus(namespace)));
                route.before()
                        .ifPresent(gone -> namespaces(gone).forEach(namespace -> counted = counted.minus(namespace)));
            }
        }
        last = plan.hosts();
        return counted.counts().keySet();
    }

    private static PersistentList<RoutePlan> routes(Optional<HostPlan> host) {
        return host.map(HostPlan::routes).orElse(NO_ROUTES);
    }

    private static Stream<String> namespaces(RoutePlan route) {
        return route.action() instanceof Action.Serve serve
                ? Stream.concat(
                        mirrors(serve.filters()), serve.backends().stream().flatMap(ServiceNamespaces::share))
                : Stream.empty();
    }

    private static Stream<String> share(BackendShare share) {
        return Stream.concat(namespace(share.backend()), mirrors(share.filters()));
    }

    private static Stream<String> mirrors(FilterPlan filters) {
        return filters.mirrors().stream().flatMap(mirror -> namespace(mirror.backend()));
    }

    private static Stream<String> namespace(Backend backend) {
        return backend instanceof Backend.Serving serving
                ? Stream.of(serving.service().namespace())
                : Stream.empty();
    }
}
