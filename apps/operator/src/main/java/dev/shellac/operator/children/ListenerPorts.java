package dev.shellac.operator.children;

import dev.shellac.model.Port;
import dev.shellac.translate.attach.PortLimit;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.plan.ListenerPlan;
import dev.shellac.varnishconfig.edge.HaproxyConfig;
import dev.shellac.varnishconfig.table.SocketMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Where each listener port of a Gateway comes into a pod. Plain HTTP has a socket of varnishd, {@code pool-N}; HTTPS a port of HAProxy, which
 * hands over by the socket {@code edge}. The Service maps one to the other, so that a new listener restarts nothing. What was assigned is
 * read back from the Service, and an operator that starts anew goes on from there.
 */
public record ListenerPorts(SlotPool plain, SlotPool edge) {
    public static final ListenerPorts NONE = new ListenerPorts(SlotPool.NONE, SlotPool.NONE);
    /** The Unix socket by which HAProxy hands over. */
    public static final String EDGE_SOCKET = "/var/run/varnish/edge.sock";

    private static final String EDGE = "edge";
    /** The first port of a pod that clients come in by; all of them are behind it. */
    static final int FIRST_PORT = 10_000;

    private static final int FIRST_PLAIN = FIRST_PORT;
    private static final int FIRST_EDGE = HaproxyConfig.FIRST_PORT;
    // Pod ports of the edge end here; former versions had more sockets of varnishd behind them.
    private static final int FIRST_FAR = 11_000;
    private static final int MOST_PLAIN = PortLimit.MOST;
    private static final int MOST_EDGE = FIRST_FAR - FIRST_EDGE;

    /** A port of a Service, and the port of the pods that it leads to. */
    public record Mapped(String name, Port port, Port target) {}

    /** What the Service says, by its ports and annotations. */
    public static ListenerPorts read(Collection<Mapped> ports, Map<String, String> annotations) {
        var plain = new TreeMap<Port, Integer>();
        var edge = new TreeMap<Port, Integer>();
        for (Mapped mapped : ports) {
            int target = mapped.target().value();
            if (mapped.name().equals(GatewayServices.NO_LISTENER) || target < FIRST_PLAIN) {
                continue;
            }
            if (target >= FIRST_EDGE && target < FIRST_FAR) {
                edge.put(mapped.port(), target - FIRST_EDGE);
            } else if (target - FIRST_PLAIN < MOST_PLAIN) {
                plain.put(mapped.port(), target - FIRST_PLAIN);
            }
        }
        // Whoever may write the Service must not decide how many threads of each pod wait at sockets.
        int size = Math.min(
                MOST_PLAIN,
                number(annotations.getOrDefault(Labels.SOCKET_POOL, "")).orElse(SlotPool.STEP));
        List<String> freed =
                Arrays.asList(annotations.getOrDefault(Labels.FREED_SOCKETS, "").split(" "));
        List<Integer> freedPlain = freed(freed, "pool-", plain).stream()
                .filter(slot -> slot < MOST_PLAIN)
                .toList();
        return new ListenerPorts(
                slots(size, plain, freedPlain), slots(SlotPool.STEP, edge, freed(freed, "edge-", edge)));
    }

    private static SlotPool slots(int size, Map<Port, Integer> taken, List<Integer> freed) {
        int least = Stream.concat(taken.values().stream(), freed.stream())
                .mapToInt(slot -> (slot / SlotPool.STEP + 1) * SlotPool.STEP)
                .max()
                .orElse(SlotPool.STEP);
        return new SlotPool(Math.max(size, least), taken, freed);
    }

    private static List<Integer> freed(List<String> words, String prefix, Map<Port, Integer> taken) {
        return words.stream()
                .filter(word -> word.startsWith(prefix))
                .flatMap(word -> number(word.substring(prefix.length())).stream())
                .filter(slot -> !taken.containsValue(slot))
                .distinct()
                .toList();
    }

    private static Optional<Integer> number(String text) {
        return text.matches("[0-9]{1,4}") ? Optional.of(Integer.parseInt(text)) : Optional.empty();
    }

    /** With a place for each listener of the plan, and for no other. */
    public ListenerPorts assign(GatewayPlan plan) {
        return assign(ports(plan, "HTTP"), ports(plan, "HTTPS"));
    }

    ListenerPorts assign(Set<Port> http, Set<Port> https) {
        SlotPool nextEdge = edge.assign(https);
        if (nextEdge.size() > MOST_EDGE) {
            throw new IllegalArgumentException("a Gateway can have " + MOST_EDGE + " HTTPS ports");
        }
        if (http.size() > MOST_PLAIN) {
            throw new IllegalArgumentException("a Gateway can have " + MOST_PLAIN + " HTTP ports");
        }
        return new ListenerPorts(plain.assign(http), nextEdge);
    }

    private static Set<Port> ports(GatewayPlan plan, String protocol) {
        return plan.listeners().stream()
                .filter(listener -> listener.protocol().equals(protocol))
                .map(ListenerPlan::port)
                .collect(Collectors.toSet());
    }

    /** That pods need more sockets than they were started with, in words. */
    public Optional<String> grownSince(ListenerPorts before) {
        return plain.size() > before.plain.size()
                ? Optional.of("its pods restart: they listen on " + before.plain.size() + " sockets, and "
                        + plain.taken().size() + " HTTP ports need " + plain.size())
                : Optional.empty();
    }

    /** Which ports each socket of varnishd serves. */
    public SocketMap served() {
        var served = new HashMap<String, Set<Port>>();
        plain.taken().forEach((port, slot) -> served.put(pool(slot), Set.of(port)));
        served.put(EDGE, edge.taken().keySet());
        return SocketMap.of(served);
    }

    /** The place of each HTTPS port among the ports of HAProxy. */
    Map<Port, Integer> edgeSlots() {
        return edge.taken();
    }

    /** The ports of the Service, in their order, and where they lead. */
    List<Mapped> mapped() {
        var mapped = new ArrayList<Mapped>();
        plain.taken().forEach((port, slot) -> mapped.add(new Mapped("http-" + port, port, new Port(podPort(slot)))));
        edge.taken()
                .forEach((port, slot) -> mapped.add(new Mapped("https-" + port, port, new Port(FIRST_EDGE + slot))));
        return mapped;
    }

    Map<String, String> annotations() {
        var annotations = new TreeMap<String, String>();
        if (plain.size() > SlotPool.STEP) {
            annotations.put(Labels.SOCKET_POOL, String.valueOf(plain.size()));
        }
        String freed = Stream.concat(
                        plain.freed().stream().map(ListenerPorts::pool),
                        edge.freed().stream().map(slot -> EDGE + "-" + slot))
                .collect(Collectors.joining(" "));
        if (!freed.isEmpty()) {
            annotations.put(Labels.FREED_SOCKETS, freed);
        }
        return annotations;
    }

    /** The sockets of varnishd, as the chaperone is told of them. */
    String listen(String protocol) {
        return Stream.concat(
                        IntStream.range(0, plain.size())
                                .mapToObj(slot -> pool(slot) + "=:" + podPort(slot) + "," + protocol),
                        Stream.of(EDGE + "=" + EDGE_SOCKET + ",PROXY"))
                .collect(Collectors.joining(";"));
    }

    /** Sockets of varnishd in each pod, used or not. */
    int count() {
        return plain.size() + 1;
    }

    private static int podPort(int slot) {
        return FIRST_PLAIN + slot;
    }

    private static String pool(int slot) {
        return "pool-" + slot;
    }
}
