package dev.shellac.varnishconfig.table;

import dev.shellac.varnishconfig.wire.Chunk;
import dev.shellac.varnishconfig.wire.JsonWriter;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** Sockets and listeners, up to where the pools begin. */
final class TableHead {
    /** Without listeners, where each socket is one by itself. */
    static final Chunk PLAIN = Chunk.of("\"pools\":{");

    private TableHead() {}

    static Chunk of(Collection<TableListener> listeners, SocketMap sockets) {
        List<TableListener> sorted = listeners.stream()
                .sorted(Comparator.comparing(TableListener::key))
                .toList();
        return Chunk.of(
                "\"sockets\":" + sockets(sorted, sockets) + ",\n\"listeners\":" + listeners(sorted) + ",\n" + PLAIN);
    }

    private static JsonWriter sockets(List<TableListener> listeners, SocketMap sockets) {
        JsonWriter json = JsonWriter.compact().open('{');
        sockets.ports().forEach((socket, ports) -> {
            json.name(socket).open('{');
            ports.forEach(port -> json.field(
                    port.toString(),
                    listeners.stream()
                            .filter(listener -> listener.port().equals(port))
                            .map(TableListener::key)
                            .toList()));
            json.close('}');
        });
        return json.close('}');
    }

    private static JsonWriter listeners(List<TableListener> listeners) {
        JsonWriter json = JsonWriter.compact().open('{');
        listeners.forEach(listener -> {
            json.name(listener.key()).open('{');
            if (!listener.hostname().isAny()) {
                json.field("hostname", listener.hostname().value());
            }
            if (listener.protocol().equals("HTTPS")) {
                json.field("protocol", "HTTPS");
            }
            json.close('}');
        });
        return json.close('}');
    }
}
