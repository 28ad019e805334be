package dev.shellac.testkit.golden;

import org.jspecify.annotations.Nullable;

/** What a run does with the files in {@code out/}. */
enum GoldenMode {
    CHECK,
    UPDATE;

    static GoldenMode current() {
        return parse(System.getProperty("golden"));
    }

    static GoldenMode parse(@Nullable String property) {
        if (property == null) {
            return CHECK;
        }
        if (property.equals("update")) {
            return UPDATE;
        }
        // A mistyped switch that quietly checks would look like an update that found nothing to do.
        throw new IllegalArgumentException("-Dgolden=" + property + " means nothing; the only value is update");
    }
}
