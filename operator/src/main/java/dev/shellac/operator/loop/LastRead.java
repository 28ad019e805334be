package dev.shellac.operator.loop;

import dev.shellac.model.Name;
import dev.shellac.model.Resource;
import dev.shellac.model.Snapshot;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.route.HttpRoute;
import java.util.Optional;

/** What stands in for an object that was edited to something that we cannot read: nothing that served before stops serving for that. */
public final class LastRead {
    private LastRead() {}

    /** Where the last valid form of a route is found that is not in the snapshot, as after a start. */
    @FunctionalInterface
    public interface Kept {
        Optional<HttpRoute> find(Name name, String uid);
    }

    static Resource of(Resource arrived, Snapshot before, Kept kept) {
        if (arrived.meta().unread().isEmpty()) {
            return arrived;
        }
        return switch (arrived) {
            case HttpRoute route ->
                same(route, before)
                        .or(() -> kept.find(route.meta().name(), route.meta().uid()))
                        .map(route::lastRead)
                        .orElse(route);
            case Gateway gateway -> same(gateway, before).map(gateway::lastRead).orElse(gateway);
            default -> arrived;
        };
    }

    // Another object of the same name served something else.
    @SuppressWarnings("unchecked") // the class of an object is its own
    private static <T extends Resource> Optional<T> same(T arrived, Snapshot before) {
        return before.find((Class<T>) arrived.getClass(), arrived.meta().name())
                .filter(last -> last.meta().uid().equals(arrived.meta().uid()));
    }
}
