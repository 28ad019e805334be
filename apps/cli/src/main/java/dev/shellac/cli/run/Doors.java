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
record Doors(List<Door> open, SortedMap<Port, String> taken) {
    /** A place to listen at. */
    record Door(Optional<String> address, Port port) {
        /** As varnishd wants it. */
        String listen() {
            return address.map(host -> host.contains(":") ? "[" + host + "]" : host)
                            .orElse("") + ":" + port;
        }

        private boolean collidesWith(Door other) {
            return port.equals(other.port)
                    && (address.isEmpty() || other.address.isEmpty() || address.equals(other.address));
        }
    }

    /** What a Gateway asks for. */
    record Wish(Name gateway, List<String> addresses, SortedSet<Port> ports) {}

    Doors {
        open = List.copyOf(open);
        taken = Collections.unmodifiableSortedMap(new TreeMap<>(taken));
    }

    /** The first come gets a port; a later one that collides with it goes without. */
    static Map<Name, Doors> assign(List<Wish> oldestFirst) {
        var held = new HashMap<Door, Name>();
        var all = new HashMap<Name, Doors>();
        for (Wish wish : oldestFirst) {
            var open = new ArrayList<Door>();
            var taken = new TreeMap<Port, String>();
            for (Port port : wish.ports()) {
                List<Door> doors = doors(wish.addresses(), port);
                Optional<Name> holder = held.entrySet().stream()
                        .filter(other -> doors.stream().anyMatch(door -> door.collidesWith(other.getKey())))
                        .map(Map.Entry::getValue)
                        .findFirst();
                if (holder.isPresent()) {
                    taken.put(port, "Gateway " + holder.get() + ", which is older, has it");
                } else {
                    open.addAll(doors);
                }
            }
            open.forEach(door -> held.put(door, wish.gateway()));
            all.put(wish.gateway(), new Doors(open, taken));
        }
        return all;
    }

    private static List<Door> doors(List<String> addresses, Port port) {
        return addresses.isEmpty()
                ? List.of(new Door(Optional.empty(), port))
                : addresses.stream()
                        .map(address -> new Door(Optional.of(address), port))
                        .toList();
    }
}
