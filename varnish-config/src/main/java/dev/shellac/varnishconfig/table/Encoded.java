package dev.shellac.varnishconfig.table;

/**
 * A value and the JSON that it became. The JSON is good for every equal value.
 *
 * @param <T> compared by its content
 */
final class Encoded<T> {
    private final T source;
    private final byte[] json;

    Encoded(T source, byte[] json) {
        this.source = source;
        this.json = json;
    }

    T source() {
        return source;
    }

    /** Not a copy: one file is put together from thousands of these. */
    byte[] json() {
        return json;
    }

    boolean isOf(T value) {
        return source.equals(value);
    }
}
