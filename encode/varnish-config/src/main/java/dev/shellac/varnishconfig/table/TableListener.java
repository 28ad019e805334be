package dev.shellac.varnishconfig.table;

import dev.shellac.model.Hostname;
import dev.shellac.model.Port;
import dev.shellac.translate.plan.ListenerPlan;
import dev.shellac.varnishconfig.reading.Routing;

/** What a table says of a listener. */
record TableListener(String key, Hostname hostname, Port port, String protocol) {
    static TableListener of(ListenerPlan plan) {
        return new TableListener(plan.key(), plan.hostname(), plan.port(), plan.protocol());
    }

    static TableListener of(Routing.Listener read) {
        return new TableListener(read.key(), read.hostname(), read.port(), read.protocol());
    }

    /** Where it is expected unless somebody says otherwise. */
    String usualSocket() {
        return (protocol.equals("HTTPS") ? "https-" : "http-") + port;
    }
}
