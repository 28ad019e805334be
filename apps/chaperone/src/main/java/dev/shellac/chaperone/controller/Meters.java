package dev.shellac.chaperone.controller;

import dev.shellac.threads.Supervisor;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/** What the loop counts. */
public final class Meters {
    final Counter tableReloads;
    final Counter tableErrors;
    final Counter vclReloads;
    final Counter vclErrors;
    final Counter endpointChanges;
    final Counter varnishdStarts;
    final Timer change;

    /** HAProxy replaced by one with another configuration. */
    public final Counter edgeReloads;

    /** Configurations and certificates that HAProxy did not take. */
    public final Counter edgeErrors;

    public final Counter haproxyStarts;

    public Meters(MeterRegistry registry) {
        FunctionCounter.builder("chaperone.threads.ended", Supervisor.PROCESS, Supervisor::ends)
                .register(registry);
        this.tableReloads = registry.counter("chaperone.ghost.reloads");
        this.tableErrors = registry.counter("chaperone.ghost.reload.errors");
        this.vclReloads = registry.counter("chaperone.vcl.reloads");
        this.vclErrors = registry.counter("chaperone.vcl.reload.errors");
        this.endpointChanges = registry.counter("chaperone.endpoint.changes");
        this.varnishdStarts = registry.counter("chaperone.varnishd.starts");
        this.change = registry.timer("chaperone.table.change");
        this.edgeReloads = registry.counter("chaperone.edge.reloads");
        this.edgeErrors = registry.counter("chaperone.edge.reload.errors");
        this.haproxyStarts = registry.counter("chaperone.haproxy.starts");
    }
}
