package dev.shellac.cli.site;

import java.util.List;

/** Listeners and routes, and how each of them stands. */
public record Standing(List<Door> doors, List<Way> paths) {
    /** A listener; one of a ListenerSet is named after it. */
    public record Door(
            String gateway, String listener, String protocol, int port, String hostname, int routes, String state) {}

    /** A route and one of its parents. */
    public record Way(String route, String hosts, String parent, int rules, String state) {}

    public Standing {
        doors = List.copyOf(doors);
        paths = List.copyOf(paths);
    }

    public static Standing of(Site site) {
        var rows = new StandingRows(site);
        return new Standing(rows.doors(), rows.paths());
    }
}
