package dev.shellac.model.route;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Hostname;
import dev.shellac.model.Metadata;
import dev.shellac.model.Resource;
import dev.shellac.model.gateway.DefaultScope;
import dev.shellac.model.status.RouteStatus;
import java.util.List;

/** An HTTPRoute. No hostnames means those of the listeners that it attaches to. */
public record HttpRoute(
        Metadata meta,
        List<ParentRef> parents,
        List<Hostname> hostnames,
        List<Rule> rules,
        DefaultScope defaultGateways,
        RouteStatus status)
        implements Resource {
    public HttpRoute {
        parents = List.copyOf(parents);
        hostnames = List.copyOf(hostnames);
        rules = List.copyOf(rules);
    }

    /** For a form that could not be read: what served before goes on serving, at the parents that are named now. */
    public HttpRoute lastValid(HttpRoute last) {
        return new HttpRoute(meta, parents, last.hostnames, last.rules, last.defaultGateways, status);
    }

    /** The same as of a newer form that could not be read at all. */
    public HttpRoute withDecodeError(String why) {
        return new HttpRoute(meta.withDecodeError(why), parents, hostnames, rules, defaultGateways, status);
    }

    @Override
    public GroupKind type() {
        return GroupKind.HTTP_ROUTE;
    }
}
