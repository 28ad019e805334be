package dev.shellac.varnishd;

import java.nio.file.Path;

/**
 * A socket that varnishd opens.
 *
 * @param name by which VCL knows it
 * @param address {@code host:port}, {@code :port} for all addresses, or the path of a Unix socket
 * @param options after a comma, such as {@code HTTP}, {@code PROXY} or {@code mode=0600}
 */
public record ListenSocket(String name, String address, String options) {
    /** The name that ghost expects of the socket for reloads. */
    public static final String CONTROL = "ghost-reload";

    public static ListenSocket http(String name, String address) {
        return new ListenSocket(name, address, "HTTP");
    }

    static ListenSocket control(Path path) {
        return new ListenSocket(CONTROL, path.toString(), "HTTP,mode=0600");
    }

    String argument() {
        return name + "=" + address + "," + options;
    }
}
