package dev.shellac.varnishconfig.bench;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Hostname;
import dev.shellac.model.Metadata;
import dev.shellac.model.Name;
import dev.shellac.model.ObjectRef;
import dev.shellac.model.Port;
import dev.shellac.model.Resource;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.model.core.Service;
import dev.shellac.model.core.TargetPort;
import dev.shellac.model.gateway.DefaultScope;
import dev.shellac.model.route.BackendRef;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.model.route.Match;
import dev.shellac.model.route.ParentRef;
import dev.shellac.model.route.PathMatch;
import dev.shellac.model.route.Rule;
import dev.shellac.model.route.Timeouts;
import dev.shellac.model.status.RouteStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A cluster of any size: a Gateway, and routes that each have a Service with one slice of two endpoints. */
final class Shop {
    /** Where the routes are. */
    enum Shape {
        A_HOST_EACH,
        ONE_HOST
    }

    private static final Port PORT = new Port(80);

    private final Shape shape;

    Shop(Shape shape) {
        this.shape = shape;
    }

    Snapshot snapshot(int routes) {
        var all = new ArrayList<Resource>(GatewayYaml.objects());
        for (int i = 0; i < routes; i++) {
            all.add(route(i, 0));
            all.add(service(i, 0));
            all.add(slice(i, 0));
        }
        return Snapshot.of(all);
    }

    /** A route of two rules; each version has another path. */
    HttpRoute route(int number, int version) {
        return new HttpRoute(
                Metadata.named("shop", "route-" + number),
                List.of(ParentRef.to(ResourceId.of(GroupKind.GATEWAY, "shop", "edge"))),
                List.of(new Hostname(shape == Shape.ONE_HOST ? "www.example.com" : "host-" + number + ".example.com")),
                List.of(
                        rule(new PathMatch.Prefix("/shop-" + number + "/v" + version), number),
                        rule(new PathMatch.Exact("/health-" + number), number)),
                DefaultScope.NONE,
                RouteStatus.NONE);
    }

    Service service(int number, int version) {
        return new Service(
                Metadata.named("shop", "service-" + number),
                Service.Type.CLUSTER_IP,
                List.of(new Service.ServicePort(
                        Optional.of("http"),
                        PORT,
                        new TargetPort.Numbered(new Port(8080 + version)),
                        "TCP",
                        Optional.empty())));
    }

    EndpointSlice slice(int number, int version) {
        return new EndpointSlice(
                Metadata.named("shop", "service-" + number + "-1"),
                Optional.of("service-" + number),
                "IPv4",
                List.of(endpoint("10.0." + version + ".1"), endpoint("10.0." + version + ".2")),
                List.of(new EndpointSlice.EndpointPort("http", Optional.of(new Port(8080)), "TCP")));
    }

    static Name gateway() {
        return new Name("shop", "edge");
    }

    private static EndpointSlice.Endpoint endpoint(String address) {
        return new EndpointSlice.Endpoint(List.of(address), EndpointSlice.Readiness.READY);
    }

    private static Rule rule(PathMatch path, int number) {
        return new Rule(
                Optional.empty(),
                List.of(new Match(path, List.of(), List.of(), Optional.empty())),
                List.of(),
                List.of(new BackendRef(
                        new ObjectRef(GroupKind.SERVICE, Optional.empty(), "service-" + number),
                        Optional.of(PORT),
                        1,
                        List.of())),
                Timeouts.NONE,
                Optional.empty(),
                Optional.empty());
    }
}
