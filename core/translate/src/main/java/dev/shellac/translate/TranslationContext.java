package dev.shellac.translate;

import dev.shellac.model.DataPlane;
import dev.shellac.model.DataPlane.TableRefusal;
import dev.shellac.model.Name;
import dev.shellac.model.Snapshot;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.route.BackendRef;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.model.status.RouteStatus;
import dev.shellac.translate.attach.Attachment;
import dev.shellac.translate.attach.Attachments;
import dev.shellac.translate.attach.Gateways;
import dev.shellac.translate.plan.CompiledRoute;
import dev.shellac.translate.plan.RouteCompiler;
import dev.shellac.translate.plan.RouteTask;
import dev.shellac.translate.plan.TableBudget;
import dev.shellac.translate.resolve.Backend;
import dev.shellac.translate.resolve.BackendTls;
import dev.shellac.translate.resolve.Backends;
import dev.shellac.translate.resolve.CachePolicies;
import dev.shellac.translate.resolve.Grants;
import dev.shellac.translate.status.RouteStatuses;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Everything that the fate of a route depends on besides the route itself. */
record TranslationContext(
        Settings settings,
        TableBudgets budgets,
        Snapshot snapshot,
        Gateways gateways,
        BackendTls backendTls,
        CachePolicies caches) {
    /** How much a Gateway's pods have room for. */
    interface TableBudgets {
        TableBudget of(Snapshot snapshot, Gateway gateway);
    }

    static TranslationContext empty(Settings settings, TableBudgets budgets) {
        return new TranslationContext(
                settings,
                budgets,
                Snapshot.empty(),
                new Gateways(Map.of(), List.of()),
                BackendTls.of(Snapshot.empty(), settings.upstream()),
                CachePolicies.NONE);
    }

    Optional<TableBudget> budget(Name gateway) {
        return gateways.find(gateway).map(bound -> budgets.of(snapshot, bound.gateway()));
    }

    List<Attachment> attach(HttpRoute route) {
        return new Attachments(snapshot, gateways, settings.missingParents()).of(route);
    }

    RouteTask task(HttpRoute route, List<Attachment> attached) {
        Name name = route.meta().name();
        var backends = new Backends(snapshot, new Grants(snapshot), backendTls);
        var resolved = new HashMap<BackendRef, Backend>();
        route.rules().stream()
                .flatMap(RouteCompiler::references)
                .forEach(ref -> resolved.computeIfAbsent(ref, found -> backends.resolve(route.id(), found)));
        var placements = new TreeMap<Name, RouteTask.Placement>();
        attached.stream()
                .filter(attachment -> attachment.refusal().isEmpty())
                .flatMap(attachment -> attachment.gateway().stream())
                .distinct()
                .forEach(gateway -> placements.put(
                        gateway,
                        new RouteTask.Placement(
                                Attachments.placement(route, attached, gateway), caches.ofGateway(gateway))));
        return new RouteTask(
                name,
                route.meta().created(),
                route.rules(),
                resolved,
                route.rules().stream()
                        .map(rule -> caches.ofRule(name, rule.name()))
                        .toList(),
                placements);
    }

    Optional<RouteStatus> status(HttpRoute route, List<Attachment> attached, CompiledRoute compiled) {
        return new RouteStatuses(settings.controllerName())
                .of(
                        route,
                        attached,
                        compiled,
                        attachment -> refused(route.meta().name(), attachment));
    }

    private List<TableRefusal> refused(Name route, Attachment attachment) {
        return attachment.gateway().flatMap(snapshot::dataPlane).map(DataPlane::refusals).orElse(List.of()).stream()
                .filter(refusal -> refusal.route().equals(route))
                .toList();
    }
}
