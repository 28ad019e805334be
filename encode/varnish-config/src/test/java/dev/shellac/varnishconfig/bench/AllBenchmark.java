package dev.shellac.varnishconfig.bench;

import dev.shellac.model.Snapshot;
import dev.shellac.translate.Outcome;
import dev.shellac.translate.Settings;
import dev.shellac.translate.Translator;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** What grows with the number of routes: the first translation, the first files, and to write a file. */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class AllBenchmark {
    @Param({"100", "5000"})
    public int routes;

    private Snapshot snapshot = Snapshot.empty();
    private Pipeline.Files files = new Pipeline(GatewayYaml.snapshot()).files();
    private ByteBuffer target = ByteBuffer.allocate(0);

    @Setup(Level.Trial)
    public void start() {
        snapshot = new Shop(Shop.Shape.A_HOST_EACH).snapshot(routes);
        files = new Pipeline(snapshot).files();
        target = ByteBuffer.allocateDirect(files.table().length());
    }

    @Benchmark
    public Outcome translation() {
        return new Translator(Settings.alone()).translate(snapshot);
    }

    @Benchmark
    public Object translationAndFiles() {
        return new Pipeline(snapshot);
    }

    /** Into memory that is there already, as the one who writes the file does. */
    @Benchmark
    public ByteBuffer bytesOfGhostJson() {
        target.clear();
        files.table().copyTo(target);
        return target;
    }
}
