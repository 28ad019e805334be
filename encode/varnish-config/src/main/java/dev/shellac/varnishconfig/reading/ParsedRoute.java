package dev.shellac.varnishconfig.reading;

import dev.shellac.model.Name;
import dev.shellac.translate.resolve.Backend;
import dev.shellac.varnishconfig.wire.Chunk;
import java.util.List;
import java.util.stream.Stream;

/**
 * One route of a host: the entries of routing.json that agree in all but their backend.
 *
 * @param head how its JSON begins: what it matches, and on which listeners
 * @param json as it stands in ghost.json
 * @param targets where requests go
 * @param name {@code namespace/name}
 * @param rule its number in the route
 * @param match its number in the rule
 */
@SuppressWarnings("exports") // the bytes are for this module alone
public record ParsedRoute(String head, Chunk json, Targets targets, String name, int rule, int match) {
    /**
     * The backends whose pools the JSON names.
     *
     * @param served those that answer requests
     * @param mirrors those that get copies
     * @param refused whether a share of the requests is answered 500, because its backend may not be used
     */
    public record Targets(List<Backend.Serving> served, List<Backend.Serving> mirrors, boolean refused) {
        public static final Targets NONE = new Targets(List.of(), List.of(), false);

        public Targets {
            served = List.copyOf(served);
            mirrors = List.copyOf(mirrors);
        }
    }

    /** Tells the entries of a host apart; one of the same identity is an earlier version of this one. */
    public record Identity(String head, String name, int rule, int match) {}

    public Identity identity() {
        return new Identity(head, name, rule, match);
    }

    /** Each backend once. */
    public List<Backend.Serving> backends() {
        return targets.mirrors().isEmpty()
                ? targets.served()
                : Stream.concat(targets.served().stream(), targets.mirrors().stream())
                        .distinct()
                        .toList();
    }

    public Stream<Name> services() {
        return Stream.concat(targets.served().stream(), targets.mirrors().stream())
                .map(Backend.Serving::service);
    }
}
