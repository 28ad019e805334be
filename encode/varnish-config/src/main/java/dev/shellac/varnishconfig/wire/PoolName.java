package dev.shellac.varnishconfig.wire;

import dev.shellac.translate.resolve.Backend;

/** The name of the endpoints behind a port of a Service: {@code namespace/name:port}. */
public final class PoolName {
    private PoolName() {}

    public static String of(Backend.Serving backend) {
        return backend.service() + ":" + backend.port();
    }
}
