package dev.shellac.model.policy;

import dev.shellac.model.policy.GatewayClassParameters.Use;
import java.time.Duration;
import java.util.Optional;

/**
 * Bounds on the HTTPS connections of a pod.
 *
 * @param max at a time; where it is left out, as many as the pod's memory has room for
 * @param perClient at a time from one address; where it is left out, a share of max
 * @param addresses whether a connection's address is that of the client, so that there may be a bound for each
 * @param threads of HAProxy
 * @param timeouts for clients that hold on
 */
public record ConnectionLimits(
        Optional<Integer> max, Optional<Integer> perClient, Use addresses, int threads, Timeouts timeouts) {
    public static final ConnectionLimits USUAL =
            new ConnectionLimits(Optional.empty(), Optional.empty(), Use.OFF, 2, Timeouts.USUAL);

    /**
     * How long a connection lasts while its client does nothing.
     *
     * @param handshake of TLS
     * @param requestHead from its first byte, or from the handshake, to its last
     * @param stall while bytes of a request or an answer wait for the client
     * @param keepAlive between two requests; where it is left out, it depends on how many connections there may be
     */
    public record Timeouts(Duration handshake, Duration requestHead, Duration stall, Optional<Duration> keepAlive) {
        private static final int IDLE_A_SECOND = 40;
        private static final int LEAST_KEEP_ALIVE = 10;
        private static final int MOST_KEEP_ALIVE = 60;

        public static final Timeouts USUAL =
                new Timeouts(Duration.ofSeconds(3), Duration.ofSeconds(10), Duration.ofSeconds(30), Optional.empty());

        /**
         * How long an idle connection is kept where so many are possible. From 400 to 2,400 connections, clients who ask once and stay have to be 40 a
         * second to hold all of them; of fewer it takes a tenth of their number a second, of more a sixtieth.
         */
        public Duration keepAlive(int connections) {
            return keepAlive.orElseGet(() ->
                    Duration.ofSeconds(Math.clamp(connections / IDLE_A_SECOND, LEAST_KEEP_ALIVE, MOST_KEEP_ALIVE)));
        }
    }
}
