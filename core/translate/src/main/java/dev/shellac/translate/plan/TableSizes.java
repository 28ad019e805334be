package dev.shellac.translate.plan;

import dev.shellac.model.persistent.PersistentMap;
import java.util.List;
import java.util.Optional;

/**
 * What the routes of one Gateway take of its table, by namespace, and which of them have no room. Oldest routes come first: a namespace
 * beyond its share loses its newest routes. Where all namespaces together take too much, those that take the most share what the others leave, so
 * no namespace loses a route because of another one that takes more.
 *
 * @param bytes of all routes together
 */
public record TableSizes(PersistentMap<String, Sizes> namespaces, long bytes) {
    public static final TableSizes NONE = new TableSizes(PersistentMap.empty(), 0);

    // A share is a multiple of a part of itself: a small change elsewhere is to change no status.
    private static final int STEPS = 16;

    /** The routes of one namespace. */
    public record Sizes(PersistentMap<RouteAge, Long> routes, long bytes) {
        static final Sizes NONE = new Sizes(PersistentMap.empty(), 0);

        private Sizes with(RouteAge route, long size) {
            return new Sizes(routes.with(route, size), bytes + size - of(route));
        }

        private Sizes without(RouteAge route) {
            return new Sizes(routes.without(route), bytes - of(route));
        }

        private long of(RouteAge route) {
            return Optional.ofNullable(routes.get(route)).orElse(0L);
        }

        private RouteAge firstBeyond(long most) {
            long sum = 0;
            for (var entry : routes.entrySet()) {
                sum += entry.getValue();
                if (sum > most) {
                    return entry.getKey();
                }
            }
            throw new IllegalStateException("all routes fit in " + most);
        }
    }

    /**
     * What a namespace may take, where its routes take more.
     *
     * @param first of its routes without room; newer ones have none either
     */
    public record Share(long bytes, RouteAge first) {
        public boolean refuses(RouteAge route) {
            return route.compareTo(first) >= 0;
        }
    }

    public TableSizes with(RouteAge route, long size) {
        return changed(route, of(route).with(route, size));
    }

    public TableSizes without(RouteAge route) {
        return changed(route, of(route).without(route));
    }

    private Sizes of(RouteAge route) {
        return Optional.ofNullable(namespaces.get(route.route().namespace())).orElse(Sizes.NONE);
    }

    private TableSizes changed(RouteAge route, Sizes after) {
        String namespace = route.route().namespace();
        return new TableSizes(
                after.routes().isEmpty() ? namespaces.without(namespace) : namespaces.with(namespace, after),
                bytes + after.bytes() - of(route).bytes());
    }

    /** The namespaces that take more than their share. While there is much room, no namespace is looked at. */
    public PersistentMap<String, Share> shares(TableBudget budget) {
        PersistentMap<String, Share> shares = PersistentMap.empty();
        if (bytes <= budget.ofAnother()) {
            return shares;
        }
        long fair = fairShare(budget);
        for (var entry : namespaces.entrySet()) {
            Sizes sizes = entry.getValue();
            long most = Math.min(budget.of(entry.getKey()), fair);
            if (sizes.bytes() > most) {
                shares = shares.with(entry.getKey(), new Share(most, sizes.firstBeyond(most)));
            }
        }
        return shares;
    }

    // What each may take at most, so that all of them together fit.
    private long fairShare(TableBudget budget) {
        List<Long> wanted = namespaces.entrySet().stream()
                .map(entry -> Math.min(entry.getValue().bytes(), budget.of(entry.getKey())))
                .sorted()
                .toList();
        long left = budget.bytes();
        for (int i = 0; i < wanted.size(); i++) {
            long fair = left / (wanted.size() - i);
            if (wanted.get(i) > fair) {
                return fair - fair % Math.max(1, Long.highestOneBit(fair) / STEPS);
            }
            left -= wanted.get(i);
        }
        return Long.MAX_VALUE;
    }
}
