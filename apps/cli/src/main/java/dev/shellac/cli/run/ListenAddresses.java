package dev.shellac.cli.run;

import dev.shellac.model.Name;
import dev.shellac.model.Port;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * Where one Gateway may listen.
 *
 * @param open address and port of each door; no address is all of this host's
 * @param taken ports that an older Gateway has, and which
 */
record ListenAddresses(List<ListenAddress> open, SortedMap<Port, String> taken) {
    /** A place to listen at. */
    record ListenAddress(Optional<String> address, Port port) {
        /** As varnishd wants it. */
        String listen() {
            return address.map(host -> host.contains(":") ? "[" + host + "]" : host)
                            .orElse("") + ":" + port;
        }

        private boolean collidesWith(ListenAddress other) {
            return port.equals(other.port)
                    && (address.isEmpty() || other.address.isEmpty() || address.equals(other.address));
        }
    }

    /** What a Gateway asks for. */
    record PortRequest(Name gateway, List<String> addresses, SortedSet<Port> ports) {}

    ListenAddresses {
        open = List.copyOf(open);
        taken = Collections.unmodifiableSortedMap(new TreeMap<>(taken));
    }

    /** The first come gets a port; a later one that collides with it goes without. */
    static Map<Name, ListenAddresses> assign(List<PortRequest> oldestFirst) {
        var held = new HashMap<ListenAddress, Name>();
        var all = new HashMap<Name, ListenAddresses>();
        for (PortRequest request : oldestFirst) {
            var open = new ArrayList<ListenAddress>();
            var taken = new TreeMap<Port, String>();
            for (Port port : request.ports()) {
                List<ListenAddress> listenAddresses = doors(request.addresses(), port);
                Optional<Name> holder = held.entrySet().stream()
                        .filter(other -> listenAddresses.stream()
                                .anyMatch(listenAddress -> listenAddress.collidesWith(other.getKey())))
                        .map(Map.Entry::getValue)
                        .findFirst();
                if (holder.isPresent()) {
                    taken.put(port, "Gateway " + holder.get() + ", which is older, has it");
                } else {
                    open.addAll(listenAddresses);
                }
            }
            open.forEach(listenAddress -> held.put(listenAddress, request.gateway()));
            all.put(request.gateway(), new ListenAddresses(open, taken));
        }
        return all;
    }

    private static List<ListenAddress> doors(List<String> addresses, Port port) {
        return addresses.isEmpty()
                ? List.of(new ListenAddress(Optional.empty(), port))
                : addresses.stream()
                        .map(address -> new ListenAddress(Optional.of(address), port))
                        .toList();
    }
}
