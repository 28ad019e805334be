package dev.shellac.varnishconfig.reading;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.shellac.varnishconfig.reading.JsonSpans.Span;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of an entry, equal to those of another that differs in its priority alone: a route that comes between others changes the
 * priority of all before it and nothing else of them.
 */
final class EntrySpan {
    private static final byte[] PRIORITY = "\"priority\":".getBytes(US_ASCII);

    private final Span span;
    private final int from;
    private final int to;
    private final int hash;

    private EntrySpan(Span span, int from, int to) {
        this.span = span;
        this.from = from;
        this.to = to;
        this.hash = 31 * span.hash(0, from) + span.hash(to, span.length());
    }

    /** Without a priority it is equal to itself alone. */
    static EntrySpan of(Span span) {
        // These bytes are a name: inside of a text a quotation mark has a backslash before it.
        int name = span.lastIndexOf(PRIORITY);
        int from = name < 0 ? span.length() : name + PRIORITY.length;
        int to = from;
        while (to < span.length() && (span.at(to) == ' ' || Character.isDigit(span.at(to)))) {
            to++;
        }
        return new EntrySpan(span, from, to);
    }

    Span span() {
        return span;
    }

    /** As it is written; 0 where there is none that is a number of usual size. */
    int priority() {
        try {
            return Integer.parseInt(span.text(from, to).strip());
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof EntrySpan entry
                && hash == entry.hash
                && from == entry.from
                && span.length() - to == entry.span.length() - entry.to
                && span.sameBytes(0, from, entry.span, 0)
                && span.sameBytes(to, span.length(), entry.span, entry.to);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
