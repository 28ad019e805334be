package dev.shellac.model.core;

import dev.shellac.model.Port;

/** The port on the pods behind a Service: a number, or a name that each pod gives a number of its own. */
public sealed interface TargetPort {
    /** The same number on every pod. */
    record Numbered(Port port) implements TargetPort {}

    /** By name. */
    record Named(String name) implements TargetPort {}
}
