package dev.shellac.cli.analysis;

import java.util.List;

/** Listeners and routes, and how each of them stands. */
public record StatusReport(List<ListenerRow> listeners, List<RouteRow> routes) {
    /** A listener; one of a ListenerSet is named after it. */
    public record ListenerRow(
            String gateway, String listener, String protocol, int port, String hostname, int routes, String state) {}

    /** A route and one of its parents. */
    public record RouteRow(String route, String hosts, String parent, int rules, String state) {}

    public StatusReport {
        listeners = List.copyOf(listeners);
        routes = List.copyOf(routes);
    }

    public static StatusReport of(FolderAnalysis analysis) {
        var rows = new StatusReportRows(analysis);
        return new StatusReport(rows.listeners(), rows.routes());
    }
}
