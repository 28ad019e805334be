package dev.shellac.varnishd;

import java.time.Duration;

/** What became of a VCL. */
public sealed interface VclOutcome {
    /** It is in use. */
    record Live(String name, Duration took) implements VclOutcome {}

    /** Not taken, in the compiler's words, with file and line; what was in use still is. */
    record Refused(String words) implements VclOutcome {}

    /** Nothing is known to have changed, and it is not known to be in use: varnishd could not be asked, or not in time. */
    record Unknown(String why) implements VclOutcome {}
}
