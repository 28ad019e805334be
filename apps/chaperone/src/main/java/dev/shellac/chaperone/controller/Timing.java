package dev.shellac.chaperone.controller;

import java.time.Duration;

/**
 * How long is waited for what may come.
 *
 * @param firstTable for all endpoints, before the first table of a pod that serves nothing yet
 * @param tableFromDisk the same, where a table of an earlier life is being served
 * @param endpoints for those of a Service that a new version of a route names, before that version is served without them
 * @param tls until TLS is terminated, before a pod is ready for the first time
 * @param retry between two tries of what could not be said to varnishd
 * @param drainDelay between being told to stop and turning clients away: so long new ones may still come
 * @param drainMost until everybody left
 */
public record Timing(
        Duration firstTable,
        Duration tableFromDisk,
        Duration endpoints,
        Duration tls,
        Duration retry,
        Duration drainDelay,
        Duration drainMost) {
    public static Timing usual() {
        return new Timing(
                Duration.ofSeconds(10),
                Duration.ofMinutes(1),
                Duration.ofSeconds(2),
                Duration.ofMinutes(1),
                Duration.ofMillis(500),
                Duration.ofSeconds(5),
                Duration.ofSeconds(20));
    }
}
