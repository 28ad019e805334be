package dev.shellac.translate.resolve;

/** What a reference led to, or why it leads nowhere. */
public sealed interface Resolved<T> {
    /** There it is. */
    record Found<T>(T value) implements Resolved<T> {}

    /** It leads nowhere. */
    record Refused<T>(Refusal why) implements Resolved<T> {}
}
