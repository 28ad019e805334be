package dev.shellac.varnishconfig.edge;

import dev.shellac.varnishconfig.edge.HaproxyConfig.Bounds;
import dev.shellac.varnishconfig.edge.HaproxyConfig.Options;

/**
 * The part of haproxy.cfg that divides the requests in flight: there is one bound for all ports, and shares of it for requests whose
 * bodies are still to come, for one client, and for connections that have several.
 *
 * <p>HAProxy counts what it tracks until the request ends, and no rule releases it earlier. So requests are tracked twice, when they
 * arrive and when varnishd gets them: the difference waits for its bodies.
 */
final class RequestLimits {
    /** However few connections a pod has: a browser asks for some six things at once. */
    private static final int LEAST_STREAMS = 8;

    private static final int MOST_STREAMS = 100;

    /** Patience with clients that hold on while others might have to go without. */
    private static final long SCARCE_SECONDS = 5;

    private final Options options;
    private final int all;
    private final int quarter;

    RequestLimits(Options options) {
        this.options = options;
        this.all = options.bounds().requests();
        this.quarter = all / 4;
    }

    /** Requests at once on a connection of HTTP/2: it takes sixteen connections to reach the bound of all. */
    static int streams(Bounds bounds) {
        return Math.clamp(bounds.requests() / 16, LEAST_STREAMS, MOST_STREAMS);
    }

    /** What requests are counted in. */
    String tables() {
        int connections = options.bounds().connections();
        String clients = options.bounds().perClient().isEmpty() ? "" : """

                # Requests by client; of IPv6, by network.
                backend requests-by-client
                    stick-table type ipv6 size %d expire 10s store conn_cur
                """.formatted(2 * connections);
        return """

                # Requests in flight, under one key for all ports.
                backend requests
                    stick-table type integer size 1 store conn_cur

                # Those among them that varnishd was given.
                backend passed
                    stick-table type integer size 1 store conn_cur

                # Requests by connection.
                backend requests-by-connection
                    stick-table type string len 60 size %d expire 10s store conn_cur
                """.formatted(2 * connections) + clients;
    }

    /** What a frontend does with a request. */
    String rules() {
        long stall = options.bounds().timeouts().stall().toSeconds();
        return """
                    http-request track-sc1 int(1) table requests
                    http-request track-sc3 var(sess.peer) table requests-by-connection%s
                %s    http-request return status 503 hdr Retry-After 1 if { sc1_conn_cur gt %d }
                    # The last quarter is for connections that have no other request in flight; there, who does not take a response loses it soon.
                    http-request return status 503 hdr Retry-After 1 if { sc1_conn_cur gt %d } { sc_conn_cur(3) gt 1 }
                    http-request set-timeout client %ds if { sc1_conn_cur gt %d }
                """.formatted(exempt(), client(), all, all - quarter, Math.min(stall, SCARCE_SECONDS), all - quarter)
                + bodies(stall);
    }

    private String client() {
        return options.bounds().perClient().isEmpty() ? "" : """
                    http-request track-sc4 src,ipmask(32,64) table requests-by-client%s
                    http-request return status 503 hdr Retry-After 1 if { sc_conn_cur(4) gt %d }
                """.formatted(exempt(), quarter);
    }

    // The fetch is one of those that HAProxy's manual has for its developers. Nothing else knows whether a request of
    // HTTP/2 without a length
    // has a body.
    private String bodies(long stall) {
        String refused = "    http-request return status 503 hdr Retry-After 1 if !{ internal.htx.has_eom } "
                + "{ var(txn.waiting) -m int gt %d }";
        return """
                    # Requests whose bodies are still to come have a quarter: of that, the last quarter is for connections that have no other.
                    http-request set-var(txn.passed) int(1),table_conn_cur(passed)
                    http-request set-var(txn.waiting) sc1_conn_cur,sub(txn.passed)
                %s
                %s { sc_conn_cur(3) gt 1 }
                    # A body that drips in keeps no thread of varnishd until there is this much of it, or all.
                    http-request wait-for-body time %ds at-least 15000 if { var(txn.waiting) -m int gt %d }
                    http-request wait-for-body time %ds at-least 15000
                    http-request track-sc2 int(1) table passed
                """.formatted(
                        refused.formatted(quarter),
                        refused.formatted(quarter - quarter / 4),
                        Math.min(stall, SCARCE_SECONDS),
                        quarter / 2,
                        stall);
    }

    // Connections of trusted proxies are those of many clients.
    private String exempt() {
        return options.trusted().isEmpty() ? "" : " unless { src" + HaproxyConfig.networks(options.trusted()) + " }";
    }
}
