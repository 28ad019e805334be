package dev.shellac.cli.analysis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.explain.table.Table;
import dev.shellac.explain.table.TableReader;
import dev.shellac.explain.table.TableReading;
import dev.shellac.model.Port;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.plan.ListenerPlan;
import dev.shellac.varnishconfig.table.GhostJson;
import dev.shellac.varnishconfig.table.SocketMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The table of one Gateway: as the data plane gets it, and as it reads it. */
public record GatewayTable(GatewayPlan plan, String json, Table table) {
    public static GatewayTable of(FolderAnalysis analysis, GatewayPlan plan) {
        String json = new String(
                new GhostJson().encode(plan, analysis.slices(), sockets(plan)).bytes(), UTF_8);
        return switch (TableReader.read(json, List.of())) {
            case TableReading.Read read -> new GatewayTable(plan, json, read.table());
            case TableReading.Refused refused ->
                throw new IllegalStateException(
                        "our own table is not one: " + refused.field() + ": " + refused.message());
        };
    }

    /** A socket for each port, by the name that it has in public. */
    public static SocketMap sockets(GatewayPlan plan) {
        var sockets = new HashMap<String, Set<Port>>();
        plan.listeners().forEach(listener -> sockets.put(socket(listener), Set.of(listener.port())));
        return SocketMap.of(sockets);
    }

    public static String socket(ListenerPlan listener) {
        return listener.protocol().toLowerCase(Locale.ROOT) + "-" + listener.port();
    }
}
