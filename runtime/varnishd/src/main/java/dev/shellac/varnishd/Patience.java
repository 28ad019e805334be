package dev.shellac.varnishd;

import java.time.Duration;

/**
 * How long is waited.
 *
 * @param command for an ordinary answer, the manager being done with what it was at included
 * @param load for a VCL to be compiled
 * @param reload for ghost to take a table
 * @param stop between asking and killing
 * @param watch between two looks at the process that serves
 */
public record Patience(Duration command, Duration load, Duration reload, Duration stop, Duration watch) {
    public static Patience usual() {
        return new Patience(
                Duration.ofSeconds(10),
                Duration.ofMinutes(2),
                Duration.ofSeconds(30),
                Duration.ofSeconds(10),
                Duration.ofSeconds(1));
    }
}
