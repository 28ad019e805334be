package dev.shellac.explain;

/** The two numbers in [0, 1) that decide between groups and between endpoints, as 32-bit fixed point. */
public record Draw(long group, long endpoint) {
    public static final Draw LOWEST = new Draw(0, 0);

    private static final double ONE = 4_294_967_296.0;

    public static Draw of(double group, double endpoint) {
        return new Draw((long) Math.ceil(group * ONE), (long) Math.ceil(endpoint * ONE));
    }

    /** A position below {@code count}. */
    static int scale(long draw, long count) {
        return (int) ((draw * count) >> 32);
    }
}
