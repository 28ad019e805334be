package dev.shellac.varnishconfig.reading;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A piece of JSON. Whoever has a parser makes it; the middle has none. */
public sealed interface Json {
    /** An object; its members keep their order. */
    record Members(Map<String, Json> members) implements Json {
        public Members {
            members = Collections.unmodifiableMap(new LinkedHashMap<>(members));
        }

        Optional<Json> get(String name) {
            @Nullable Json found = members.get(name);
            return Optional.ofNullable(found);
        }
    }

    /** An array. */
    record Items(List<Json> items) implements Json {
        public Items {
            items = List.copyOf(items);
        }
    }

    /** A string. */
    record Text(String value) implements Json {}

    /** A number, {@code true}, {@code false} or {@code null}, as it was written. */
    record Literal(String json) implements Json {}

    /** A parser. */
    @FunctionalInterface
    interface Parser {
        /** One value, which takes all of these bytes. */
        Json parse(byte[] bytes, int from, int length) throws RoutingFormatException;
    }
}
