package dev.shellac.varnishconfig.reading;

/** The bytes are no routing.json, or a host in them is none. What was read before stays. */
public final class RoutingFormatException extends Exception {
    private static final long serialVersionUID = 1;

    public RoutingFormatException(String message) {
        super(message);
    }
}
