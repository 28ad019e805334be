package dev.shellac.varnishconfig.bench;

import dev.shellac.model.Port;
import dev.shellac.model.Resource;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.translate.Settings;
import dev.shellac.translate.Translator;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.varnishconfig.routing.RoutingFile;
import dev.shellac.varnishconfig.routing.RoutingJson;
import dev.shellac.varnishconfig.table.GhostJson;
import dev.shellac.varnishconfig.table.GhostTable;
import dev.shellac.varnishconfig.table.SocketMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** All that happens in Java between an event and the files of a pod, but the writing of them. */
final class Pipeline {
    /** What came out. */
    record Files(GhostTable table, RoutingFile routing) {}

    private static final SocketMap SOCKETS = SocketMap.of(Map.of("pool-0", Set.of(new Port(80))));

    private final Translator translator = new Translator(Settings.alone());
    private final GhostJson ghost = new GhostJson();
    private final RoutingJson routing = new RoutingJson();
    private Snapshot snapshot;

    Pipeline(Snapshot snapshot) {
        this.snapshot = snapshot;
        files();
    }

    Files change(Resource resource) {
        snapshot = snapshot.with(resource);
        return files();
    }

    Files files() {
        GatewayPlan plan =
                Objects.requireNonNull(translator.translate(snapshot).plans().get(Shop.gateway()));
        return new Files(ghost.encode(plan, snapshot.all(EndpointSlice.class), SOCKETS), routing.file(plan));
    }
}
