package dev.shellac.operator.children;

import dev.shellac.model.Hostname;
import dev.shellac.model.shared.Change;
import dev.shellac.model.shared.SharedList;
import dev.shellac.model.shared.SharedMap;
import dev.shellac.translate.plan.BackendShare;
import dev.shellac.translate.plan.FilterPlan;
import dev.shellac.translate.plan.FilterPlan.MirrorPlan;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.plan.HostPlan;
import dev.shellac.translate.plan.RoutePlan;
import dev.shellac.translate.resolve.Backend;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The namespaces of the Services that the routes of one Gateway name. It remembers hosts that did not change. For one thread. */
public final class ServiceNamespaces {
    private SharedList<HostPlan> hosts = SharedMap.<Hostname, HostPlan>empty().values();
    private SharedMap<Hostname, Set<String>> found = SharedMap.empty();

    /** One that has seen nothing yet. */
    public ServiceNamespaces() {}

    public Set<String> of(GatewayPlan plan) {
        for (Change<Object, HostPlan> change : plan.hosts().changesSince(hosts)) {
            Hostname host = change.after().or(change::before).orElseThrow().hostname();
            found = change.after().isPresent()
                    ? found.with(host, namespaces(change.after().get()))
                    : found.without(host);
        }
        hosts = plan.hosts();
        var all = new TreeSet<String>();
        found.values().forEach(all::addAll);
        return all;
    }

    private static Set<String> namespaces(HostPlan host) {
        return host.routes().stream()
                .flatMap(route -> backends(route.action()))
                .flatMap(backend -> backend instanceof Backend.Serving serving
                        ? Stream.of(serving.service().namespace())
                        : Stream.empty())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Stream<Backend> backends(RoutePlan.Action action) {
        return switch (action) {
            case RoutePlan.Action.Refuse refuse -> Stream.empty();
            case RoutePlan.Action.Serve serve ->
                Stream.concat(
                        mirrors(serve.filters()), serve.backends().stream().flatMap(ServiceNamespaces::backends));
        };
    }

    private static Stream<Backend> backends(BackendShare share) {
        return Stream.concat(Stream.of(share.backend()), mirrors(share.filters()));
    }

    private static Stream<Backend> mirrors(FilterPlan filters) {
        return filters.mirrors().stream().map(MirrorPlan::backend);
    }
}
