package dev.shellac.cli.analysis;

import dev.shellac.decode.Finding.Severity;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.ResourceId;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.gateway.GatewayClass;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.translate.Settings;
import dev.shellac.varnishconfig.table.GhostJson;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What no status speaks of: objects that are not ours to judge in a cluster, but that nobody else will in a folder, and Services
 * without endpoints, which Kubernetes would find by itself.
 */
record UnservedObjects(FolderAnalysis analysis) {
    Stream<Problem> problems() {
        return Stream.of(gateways(), routes(), services()).flatMap(all -> all);
    }

    private Stream<Problem> gateways() {
        return analysis.snapshot().all(Gateway.class).stream()
                .filter(gateway -> !analysis.outcome()
                        .statuses()
                        .gateways()
                        .containsKey(gateway.meta().name()))
                .map(gateway -> problem(
                        Severity.ERROR, gateway.id(), "spec.gatewayClassName", classProblem(gateway.className())));
    }

    private String classProblem(String name) {
        return analysis.snapshot()
                .find(GatewayClass.class, new Name("", name))
                .map(found -> "GatewayClass " + name + " is for the controller " + found.controllerName() + ", ours is "
                        + Settings.CONTROLLER_NAME + ": nothing serves this Gateway")
                .orElse("there is no GatewayClass " + name + ": add one with controllerName "
                        + Settings.CONTROLLER_NAME);
    }

    private Stream<Problem> routes() {
        return analysis.snapshot().all(HttpRoute.class).stream()
                .filter(route -> !analysis.outcome()
                        .statuses()
                        .httpRoutes()
                        .containsKey(route.meta().name()))
                .map(route -> problem(
                        Severity.WARNING,
                        route.id(),
                        "spec.parentRefs",
                        "no Gateway that is served has this route: name one"));
    }

    private Stream<Problem> services() {
        var empty = new TreeSet<String>();
        analysis.plans()
                .forEach(plan -> empty.addAll(new GhostJson()
                        .encode(plan, analysis.slices(), GatewayTable.sockets(plan))
                        .poolsWithoutEndpoints()));
        return empty.stream()
                .map(pool -> problem(
                        Severity.WARNING,
                        service(pool),
                        "port " + pool.substring(pool.lastIndexOf(':') + 1),
                        "no endpoint is ready, so requests get 503: write an EndpointSlice with the label "
                                + "kubernetes.io/service-name and a port of the same name"));
    }

    // "namespace/name:port"
    private static ResourceId service(String pool) {
        String name = pool.substring(0, pool.lastIndexOf(':'));
        int slash = name.indexOf('/');
        return ResourceId.of(GroupKind.SERVICE, name.substring(0, slash), name.substring(slash + 1));
    }

    private Problem problem(Severity severity, ResourceId id, String part, String message) {
        return new Problem(severity, analysis.place(id), id.toString(), part, "", message);
    }
}
