package dev.shellac.varnishconfig.bench;

import dev.shellac.model.Resource;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** One object changes among many: snapshot, translation, ghost.json and routing.json. Each time it is another object. */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class OneChangeBenchmark {
    // Prime to any number of routes that is measured, and far: neighbours share caches.
    private static final long STRIDE = 3_571;
    private static final int VERSIONS = 100;

    @Param({"100", "5000"})
    public int routes;

    private Pipeline ofHosts = new Pipeline(GatewayYaml.snapshot());
    private Pipeline ofOneHost = new Pipeline(GatewayYaml.snapshot());
    private final Shop shop = new Shop(Shop.Shape.A_HOST_EACH);
    private final Shop oneHost = new Shop(Shop.Shape.ONE_HOST);
    private long changes;

    @Setup(Level.Trial)
    public void start() {
        ofHosts = new Pipeline(shop.snapshot(routes));
        ofOneHost = new Pipeline(oneHost.snapshot(routes));
    }

    @Benchmark
    public Object route() {
        return ofHosts.change(next(shop::route));
    }

    @Benchmark
    public Object service() {
        return ofHosts.change(next(shop::service));
    }

    @Benchmark
    public Object endpointSlice() {
        return ofHosts.change(next(shop::slice));
    }

    @Benchmark
    public Object routeOfOneHost() {
        return ofOneHost.change(next(oneHost::route));
    }

    private Resource next(BiFunction<Integer, Integer, Resource> make) {
        changes++;
        int number = (int) (changes * STRIDE % routes);
        // Each time round, every object becomes another than it was.
        int version = 1 + (int) (changes / routes % VERSIONS);
        return make.apply(number, version);
    }
}
