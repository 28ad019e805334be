package dev.shellac.varnishconfig;

import dev.shellac.decode.Decoded;
import dev.shellac.decode.Decoder;
import dev.shellac.decode.Finding;
import dev.shellac.decode.Source;
import dev.shellac.model.Port;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.translate.Settings;
import dev.shellac.translate.Translator;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.plan.ListenerPlan;
import dev.shellac.varnishconfig.table.SocketMap;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** A plan and its endpoints, from YAML through the decoder and the translator. */
public record Inputs(GatewayPlan plan, Collection<EndpointSlice> slices, Snapshot snapshot) {
    public static Inputs of(Map<String, String> files) {
        Decoded decoded = Decoder.decode(files.entrySet().stream()
                .map(file -> Source.of(file.getKey(), file.getValue()))
                .toList());
        if (!decoded.findings().isEmpty()) {
            throw new AssertionError(
                    decoded.findings().stream().map(Finding::toString).collect(Collectors.joining("\n")));
        }
        return of(decoded.snapshot(), new Translator(Settings.alone().withTlsUpstream()));
    }

    /** Of the first Gateway that has a plan. */
    public static Inputs of(Snapshot snapshot, Translator translator) {
        Collection<GatewayPlan> plans = translator.translate(snapshot).plans().values();
        return new Inputs(plans.iterator().next(), snapshot.all(EndpointSlice.class), snapshot);
    }

    /** HTTP ports on {@code pool-0}, {@code pool-1}…, two sockets more that are free, and all of HTTPS on {@code edge}. */
    public SocketMap sockets() {
        var sockets = new HashMap<String, Set<Port>>();
        List<Port> plain = ports("HTTP").stream().toList();
        for (int i = 0; i < plain.size() + 2; i++) {
            sockets.put("pool-" + i, i < plain.size() ? Set.of(plain.get(i)) : Set.of());
        }
        sockets.put("edge", ports("HTTPS"));
        return SocketMap.of(sockets);
    }

    /** Of HTTPS ports, in their order. */
    public Map<Port, Integer> slots() {
        var slots = new HashMap<Port, Integer>();
        ports("HTTPS").forEach(port -> slots.put(port, slots.size()));
        return slots;
    }

    private Set<Port> ports(String protocol) {
        return plan.listeners().stream()
                .filter(listener -> listener.protocol().equals(protocol))
                .map(ListenerPlan::port)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
