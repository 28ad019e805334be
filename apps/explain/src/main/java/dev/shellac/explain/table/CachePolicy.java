package dev.shellac.explain.table;

import dev.shellac.explain.table.Route.Expression;
import java.util.List;
import java.util.Optional;

/** How answers are kept, in seconds, and by what they are told apart. */
public record CachePolicy(
        Ttl ttl,
        long grace,
        long keep,
        long staleIfError,
        Key key,
        List<Bypass> bypass,
        List<PurgeKey> purgeKeys,
        Personal personal) {
    /** Who says how long. */
    public sealed interface Ttl {
        /** The origin. */
        record Origin() implements Ttl {}

        /** The origin, and this where it says nothing. */
        record Default(long seconds) implements Ttl {}

        /** This. */
        record Forced(long seconds) implements Ttl {}
    }

    /** Parts of the key besides host and path. */
    public record Key(List<String> headers, List<String> include, List<String> exclude) {
        public Key {
            headers = List.copyOf(headers);
            include = List.copyOf(include);
            exclude = List.copyOf(exclude);
        }
    }

    /** Which requests of one person may be answered with what others got. */
    public record Personal(boolean cookies, boolean authorization) {}

    /** A header whose presence, or value, keeps a request out of the cache. */
    public record Bypass(String name, Optional<Expression> value) {}

    /** Under what an object can be purged. */
    public enum PurgeKey {
        PATH,
        URL
    }

    public CachePolicy {
        bypass = List.copyOf(bypass);
        purgeKeys = List.copyOf(purgeKeys);
    }
}
