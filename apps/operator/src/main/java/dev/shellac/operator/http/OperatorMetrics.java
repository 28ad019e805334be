package dev.shellac.operator.http;

import dev.shellac.threads.Supervisor;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/** What is counted and timed. Labels have few values: Gateways and certificates, never routes or hosts. */
public final class OperatorMetrics {
    /** What was written, or was not. */
    public enum Write {
        CONFIGURATION,
        /** Straight to pods. */
        CHANGES,
        CHILD,
        STATUS
    }

    /** How it ended. */
    public enum End {
        WRITTEN,
        UNCHANGED,
        FAILED
    }

    /** A number with the name of a Gateway or of a certificate. */
    public record Reading(String namespace, String name, double value) {}

    private final MeterRegistry registry;
    private final Timer reconcile;
    private final Timer failedReconcile;
    private final Counter reconcileErrors;
    private final Timer waited;
    private final Timer translation;
    private final Counter translatedRoutes;
    private final Timer propagation;
    private final AtomicLong routes = new AtomicLong();
    private final AtomicLong refusedRoutes = new AtomicLong();
    private final AtomicLong gateways = new AtomicLong();
    private final AtomicLong leading = new AtomicLong();
    private final MultiGauge expiry;
    private final MultiGauge programmed;
    private final MultiGauge attached;

    public OperatorMetrics(MeterRegistry registry) {
        this.registry = registry;
        reconcile = reconcile("good");
        failedReconcile = reconcile("failed");
        reconcileErrors = Counter.builder("shellac.operator.turns.failed")
                .description("turns that ended in a fault of ours")
                .register(registry);
        waited = timer("shellac.operator.waited", "how long the oldest news had waited when its turn began");
        translation = timer("shellac.operator.translation", "from a snapshot to plans and statuses");
        translatedRoutes = Counter.builder("shellac.operator.routes.judged")
                .description("routes that were looked at again")
                .register(registry);
        propagation =
                timer("shellac.operator.propagation", "from the news of a change to the first pod that serves it");
        Gauge.builder("shellac.operator.routes", routes, AtomicLong::get)
                .description("HTTPRoutes that we have a word on")
                .register(registry);
        Gauge.builder("shellac.operator.routes.refused", refusedRoutes, AtomicLong::get)
                .description("HTTPRoutes that are refused, or in part")
                .register(registry);
        Gauge.builder("shellac.operator.gateways", gateways, AtomicLong::get)
                .description("Gateways of ours")
                .register(registry);
        Gauge.builder("shellac.operator.leading", leading, AtomicLong::get)
                .description("1 in the process that writes")
                .register(registry);
        FunctionCounter.builder("shellac.operator.threads.ended", Supervisor.PROCESS, Supervisor::ends)
                .description("threads that ended by an unexpected exception and were started again")
                .register(registry);
        expiry = MultiGauge.builder("shellac.operator.certificate.expiry")
                .description("seconds until a certificate of a listener expires")
                .baseUnit("seconds")
                .register(registry);
        programmed = MultiGauge.builder("shellac.operator.gateway.programmed")
                .description("1 where a Gateway serves what it asks for")
                .register(registry);
        attached = MultiGauge.builder("shellac.operator.gateway.attached.routes")
                .description("routes on the listeners of a Gateway")
                .register(registry);
    }

    private Timer reconcile(String outcome) {
        return timer(
                "shellac.operator.turn",
                "one turn of the loop, from what arrived to what was handed on",
                "outcome",
                outcome);
    }

    private Timer timer(String name, String description, String... tags) {
        return Timer.builder(name)
                .description(description)
                .tags(tags)
                .publishPercentileHistogram(false)
                .serviceLevelObjectives(
                        Duration.ofMillis(1),
                        Duration.ofMillis(3),
                        Duration.ofMillis(10),
                        Duration.ofMillis(30),
                        Duration.ofMillis(100),
                        Duration.ofMillis(300),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(10))
                .register(registry);
    }

    public void reconciled(Duration took, Duration waitedBefore) {
        reconcile.record(took);
        waited.record(waitedBefore);
    }

    public void reconcileFailed(Duration took) {
        failedReconcile.record(took);
        reconcileErrors.increment();
    }

    public void translated(Duration took, int routesJudged) {
        translation.record(took);
        translatedRoutes.increment(routesJudged);
    }

    public void propagated(Duration took) {
        propagation.record(took);
    }

    public void wrote(Write what, End end) {
        registry.counter("shellac.operator.writes", "what", word(what), "outcome", word(end))
                .increment();
    }

    public void leads(boolean now) {
        leading.set(now ? 1 : 0);
    }

    public void holds(int ourGateways, int ourRoutes, int refused) {
        gateways.set(ourGateways);
        routes.set(ourRoutes);
        refusedRoutes.set(refused);
    }

    public void gateways(List<Reading> isProgrammed, List<Reading> attachedRoutes) {
        programmed.register(rows(isProgrammed, "gateway"), true);
        attached.register(rows(attachedRoutes, "gateway"), true);
    }

    public void expiry(List<Reading> certificates) {
        expiry.register(rows(certificates, "secret"), true);
    }

    private static List<MultiGauge.Row<?>> rows(List<Reading> readings, String label) {
        return readings.stream()
                .<MultiGauge.Row<?>>map(reading -> MultiGauge.Row.of(
                        Tags.of("namespace", reading.namespace(), label, reading.name()), reading.value()))
                .toList();
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
