package dev.shellac.varnishconfig.edge;

import dev.shellac.model.Network;
import dev.shellac.model.Port;
import dev.shellac.model.gateway.FrontendTls;
import dev.shellac.model.policy.ConnectionLimits.Timeouts;
import dev.shellac.model.policy.GatewayClassParameters.Clients;
import dev.shellac.model.policy.GatewayClassParameters.Use;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.plan.ListenerPlan;
import dev.shellac.translate.plan.ListenerPlan.ClientPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * haproxy.cfg: TLS is taken off, and each request goes to varnishd over a Unix socket, after a PROXY header (version 2) that says who
 * the client is, the public port and the TLS server name. Certificates are files of the {@link CertificateBundle}.
 *
 * <p>No name that anybody chose stands in the text, only numbers and our own words.
 *
 * <p>The environment says what the writer of the text cannot know: {@code EDGE_FOLDER}, where sockets are, {@code EDGE_TLS},
 * where the bundle is, {@code EDGE_IPV6}, if it is set, that there is IPv6, and {@code EDGE_LIFE}, a word that the runtime
 * socket repeats, so that one process can be told from the next.
 */
public final class HaproxyConfig {
    /** Pod ports of HTTPS begin here. */
    public static final int FIRST_PORT = 10_100;

    /** Resets that a connection is allowed; nobody cancels so many requests. */
    private static final int UNANSWERED = 1000;

    /** Where sockets and certificates are, unless the environment says otherwise. */
    public static final String FOLDER = "/var/run/varnish";

    /** What clients may speak. */
    public enum Protocols {
        HTTP_1_AND_2("h2,http/1.1"),
        HTTP_1("http/1.1");

        private final String alpn;

        Protocols(String alpn) {
            this.alpn = alpn;
        }
    }

    /** Who connects: clients, or a load balancer that says in a PROXY header who the client is. */
    public enum Peers {
        CLIENTS,
        PROXY_PROTOCOL
    }

    /**
     * Bounds on what clients make of a pod.
     *
     * @param connections at most so many at a time
     * @param perClient at most so many of them from one address; nothing where addresses are not those of clients
     * @param threads that work
     * @param timeouts for clients that hold on
     * @param memory of all processes together, where it is bounded
     */
    public record Bounds(
            int connections, Optional<Integer> perClient, int threads, Timeouts timeouts, Optional<Long> memory) {
        public static final Bounds USUAL = new Bounds(4000, Optional.empty(), 2, Timeouts.USUAL, Optional.empty());

        public Bounds {
            if (connections < 1 || threads < 1 || threads > 64) {
                throw new IllegalArgumentException("at least one connection, and 1 to 64 threads");
            }
        }

        /** Connections are scarce beyond these, of all that a process may have. */
        public static long scarce(long connections) {
            return connections * 7 / 8;
        }

        /** Requests in flight: with its buffers, a request takes as much as a connection. */
        int requests() {
            return Math.max(32, connections / 2);
        }
    }

    /**
     * What a user may choose.
     *
     * @param proxies networks from which PROXY headers are accepted; none: from everywhere
     * @param trusted networks of proxies, whose connections are those of many clients
     */
    public record Options(
            Protocols protocols, Peers peers, List<Network> proxies, List<Network> trusted, Bounds bounds) {
        public static final Options USUAL = of(Clients.USUAL);

        public Options {
            proxies = List.copyOf(proxies);
            trusted = List.copyOf(trusted);
        }

        public static Options of(Clients clients) {
            return new Options(
                    clients.http2() == Use.ON ? Protocols.HTTP_1_AND_2 : Protocols.HTTP_1,
                    clients.proxyProtocol() == Use.ON ? Peers.PROXY_PROTOCOL : Peers.CLIENTS,
                    clients.proxyProtocolFrom(),
                    clients.trustedProxies(),
                    Bounds.USUAL);
        }

        public Options with(Protocols other) {
            return new Options(other, peers, proxies, trusted, bounds);
        }

        public Options with(Peers other) {
            return new Options(protocols, other, proxies, trusted, bounds);
        }

        public Options with(List<Network> other) {
            return new Options(protocols, peers, other, trusted, bounds);
        }

        public Options with(Bounds other) {
            return new Options(protocols, peers, proxies, trusted, other);
        }
    }

    private HaproxyConfig() {}

    /**
     * The text, or nothing where there is nothing to terminate.
     *
     * @param slots of each port of HTTPS, from 0: the pod port is {@link #FIRST_PORT} and the slot. A port without one is left out
     */
    public static Optional<String> encode(GatewayPlan plan, Map<Port, Integer> slots, Options options) {
        var text = new StringBuilder(global(options.bounds(), sessions(plan)))
                .append(rest(options.bounds()))
                .append(new RequestLimits(options).tables())
                .append(clientTable(options.bounds()));
        boolean any = false;
        for (Map.Entry<Port, List<ListenerPlan>> port : ports(plan).entrySet()) {
            Integer slot = slots.get(port.getKey());
            if (slot != null) {
                any = true;
                text.append(frontend(port.getKey(), FIRST_PORT + slot, port.getValue(), options));
            }
        }
        return any ? Optional.of(text.toString()) : Optional.empty();
    }

    // HAProxy has one cache of TLS sessions for all ports, under one context, and verifies nobody who resumes one: a
    // session of a port that asks nobody, or trusts another authority, would open a port that requires certificates.
    private static String sessions(GatewayPlan plan) {
        boolean asked = ports(plan).values().stream()
                .flatMap(List::stream)
                .anyMatch(listener -> listener.clients().isPresent());
        return asked ? """
                    # Clients are asked for certificates: a session of one port must not be resumed on another, so that none is.
                    tune.ssl.cachesize 0
                """ : """
                    tune.ssl.cachesize 4000
                    tune.ssl.lifetime 3600
                """;
    }

    private static String global(Bounds bounds, String sessions) {
        return """
                # Written by the operator from the HTTPS listeners of a Gateway; do not edit.
                global
                    presetenv EDGE_FOLDER %s
                    presetenv EDGE_TLS %s/tls
                    presetenv EDGE_LIFE unknown
                %s    description "${EDGE_LIFE}"
                    # Faults of this process alone: requests are in varnishd's log, and whoever scans ports would fill this one.
                    log stdout format raw daemon warning
                    stats socket "${EDGE_FOLDER}/haproxy.sock" mode 600 level admin expose-fd listeners
                    maxconn %d
                    # Connections of all ports beyond which none is kept between two requests; it is changed together with maxconn.
                    set-var proc.scarce int(%d)
                    no strict-limits
                    nbthread %d
                    crt-base "${EDGE_TLS}"
                    ca-base "${EDGE_TLS}"
                    ssl-default-bind-options ssl-min-ver TLSv1.2 prefer-client-ciphers no-tls-tickets
                    ssl-default-bind-ciphers ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:\
                ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305
                    ssl-default-bind-ciphersuites TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256
                %s    tune.stick-counters 5
                    # A connection has at most a sixteenth of the requests in flight.
                    tune.h2.max-concurrent-streams %d
                    # Protocol abuse that is no fault by itself ends a connection.
                    tune.h2.fe.glitches-threshold 1000
                """.formatted(
                FOLDER,
                FOLDER,
                bounds.memory()
                        .map(bytes -> "    # Bytes for all processes together: those that end have their part of it.\n"
                                + "    presetenv EDGE_MEMORY " + bytes + "\n")
                        .orElse(""),
                bounds.connections(),
                Bounds.scarce(bounds.connections()),
                bounds.threads(),
                sessions,
                RequestLimits.streams(bounds));
    }

    private static String rest(Bounds bounds) {
        Timeouts timeouts = bounds.timeouts();
        return """

                defaults
                    mode http
                    log global
                    option dontlog-normal
                    option dontlognull
                    # A process that gives way to the next ends a kept connection with an answer, not while a request may be on its way.
                    option idle-close-on-response
                    # The PROXY header is said once for each connection to varnishd, so that one is for one client alone.
                    http-reuse never
                    # How long a request may take is for varnishd to say, by route; a day is the most that it says.
                    timeout connect 5s
                    # Limits for clients that hold on: for the TLS handshake, for the head of a request, and while bytes wait to be read or sent. A
                    # response that has nothing to send yet, such as a long poll or an idle stream, waits for the server alone.
                    timeout client-hs %ds
                    timeout http-request %ds
                    timeout client %ds
                    timeout client-fin 10s
                    timeout http-keep-alive %ds
                    timeout server 25h
                    timeout tunnel 25h

                backend varnish
                    server varnish unix@"${EDGE_FOLDER}/edge.sock" send-proxy-v2 proxy-v2-options authority
                """.formatted(
                        timeouts.handshake().toSeconds(),
                        timeouts.requestHead().toSeconds(),
                        timeouts.stall().toSeconds(),
                        timeouts.keepAlive(bounds.connections()).toSeconds());
    }

    private static String clientTable(Bounds bounds) {
        return bounds.perClient()
                .map(_ -> """

                        # Connections by client; of IPv6, by network.
                        backend clients
                            stick-table type ipv6 size %d expire 1m store conn_cur
                        """.formatted(4 * bounds.connections()))
                .orElse("");
    }

    /** The listeners with TLS, by port. */
    static SortedMap<Port, List<ListenerPlan>> ports(GatewayPlan plan) {
        var ports = new TreeMap<Port, List<ListenerPlan>>();
        plan.listeners().stream()
                .filter(listener -> listener.protocol().equals("HTTPS"))
                .forEach(listener -> ports.computeIfAbsent(listener.port(), port -> new ArrayList<>())
                        .add(listener));
        return ports;
    }

    private static String frontend(Port port, int podPort, List<ListenerPlan> listeners, Options options) {
        String tls = tls(port, listeners, options);
        return """

                frontend https-%d
                    bind *:%d %s
                .if defined(EDGE_IPV6)
                    bind :::%d v6only %s
                .endif
                %s%s    # After a load balancer's PROXY header was read: the port that it names may be one of its own.
                    tcp-request session set-dst-port int(%d)
                    tcp-request session set-var-fmt(sess.peer) "%%[src] %%[src_port]"
                    # Requests that were reset before they had an answer count against their connection.
                    http-request set-var(sess.unanswered) var(sess.unanswered,0),add(1)
                    http-request reject if { var(sess.unanswered) -m int gt %d }
                %s    http-after-response set-var(sess.unanswered) var(sess.unanswered,0),sub(1)
                    # While connections are scarce, none is kept between two requests.
                    http-after-response set-header Connection close if { act_conn,sub(proc.scarce) gt 0 }
                    default_backend varnish
                """.formatted(
                        port.value(),
                        podPort,
                        tls,
                        podPort,
                        tls,
                        proxies(options),
                        share(options),
                        port.value(),
                        UNANSWERED,
                        new RequestLimits(options).rules());
    }

    // Before the handshake, unless it is a load balancer that says who the client is.
    private static String share(Options options) {
        return options.bounds().perClient().map(most -> share(options, most)).orElse("");
    }

    private static String share(Options options, int most) {
        String rule = "    tcp-request " + (options.peers() == Peers.PROXY_PROTOCOL ? "session" : "connection") + " ";
        String exempt = options.trusted().isEmpty() ? "" : " unless { src" + networks(options.trusted()) + " }";
        return rule + "track-sc0 src,ipmask(32,64) table clients" + exempt + "\n" + rule
                + "reject if { sc0_conn_cur gt " + most + " }\n";
    }

    static String networks(List<Network> networks) {
        return networks.stream()
                .map(network -> " " + network.address() + "/" + network.bits())
                .distinct()
                .collect(Collectors.joining());
    }

    // Before the PROXY header is read: the address is that of the connection.
    private static String proxies(Options options) {
        return options.proxies().isEmpty()
                ? ""
                : "    tcp-request connection reject unless { src" + networks(options.proxies()) + " }\n";
    }

    private static String tls(Port port, List<ListenerPlan> listeners, Options options) {
        var words = new ArrayList<String>();
        // Who says nothing for a second costs nothing for as long.
        words.add("defer-accept");
        if (options.peers() == Peers.PROXY_PROTOCOL) {
            words.add("accept-proxy");
        }
        words.add("ssl crt-list \"${EDGE_TLS}/" + EdgeNames.list(port) + "\"");
        // Whose name no listener has is not answered with the certificate of another.
        if (listeners.stream().noneMatch(listener -> listener.hostname().isAny())) {
            words.add("strict-sni");
        }
        words.add("alpn " + options.protocols().alpn);
        listeners.stream()
                .flatMap(listener -> listener.clients().stream())
                .findFirst()
                .ifPresent(clients -> words.add(clients(port, clients)));
        return String.join(" ", words);
    }

    private static String clients(Port port, ClientPlan clients) {
        String verify = clients.mode() == FrontendTls.Mode.ALLOW_VALID_ONLY
                ? "verify required"
                : "verify optional crt-ignore-err all ca-ignore-err all";
        return "ca-file " + EdgeNames.authorities(port) + " " + verify;
    }
}
