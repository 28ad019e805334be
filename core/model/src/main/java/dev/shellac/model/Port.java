package dev.shellac.model;

/** A TCP or UDP port. */
public record Port(int value) implements Comparable<Port> {
    private static final int MOST = 65_535;

    public Port {
        if (value < 1 || value > MOST) {
            throw new IllegalArgumentException("port out of range: " + value);
        }
    }

    @Override
    public int compareTo(Port other) {
        return Integer.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Integer.toString(value);
    }
}
