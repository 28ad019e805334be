package dev.shellac.testkit.golden;

import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;

/**
 * A tree of golden cases and the code they hold still. Use it from a {@code @TestFactory}:
 *
 * <pre>{@code
 * @TestFactory
 * Stream<DynamicNode> cases() {
 *     return GoldenSuite.at(Path.of("src/test/resources/golden"), this::translate).tests();
 * }
 * }</pre>
 *
 * The root is the folder in the source tree, not its copy on the class path: {@code -Dgolden=update} writes there.
 */
public final class GoldenSuite {
    private enum Outputs {
        MAY_REPEAT,
        DISTINCT
    }

    private final Path root;
    private final GoldenSubject subject;
    private final InputSource elsewhere;
    private final Outputs outputs;

    private GoldenSuite(Path root, GoldenSubject subject, InputSource elsewhere, Outputs outputs) {
        this.root = root;
        this.subject = subject;
        this.elsewhere = elsewhere;
        this.outputs = outputs;
    }

    public static GoldenSuite at(Path root, GoldenSubject subject) {
        return new GoldenSuite(
                root.toAbsolutePath().normalize(), subject, name -> Optional.empty(), Outputs.MAY_REPEAT);
    }

    /** Asks {@code source} about every case: its input is in its own {@code in/} or comes from there, never both. */
    public GoldenSuite withInputsFrom(InputSource source) {
        return new GoldenSuite(root, subject, source, outputs);
    }

    /** Two cases with equal outputs fail: one of them holds nothing that the other does not. */
    public GoldenSuite withDistinctOutputs() {
        return new GoldenSuite(root, subject, elsewhere, Outputs.DISTINCT);
    }

    public Stream<DynamicNode> tests() {
        return tests(GoldenMode.current());
    }

    Stream<DynamicNode> tests(GoldenMode mode) {
        return switch (mode) {
            case CHECK -> Stream.concat(cases(new Checking()), distinct());
            case UPDATE -> {
                var updating = new Updating();
                yield Stream.concat(Stream.concat(cases(updating), distinct()), Stream.of(updating.neverPasses()));
            }
        };
    }

    private Stream<DynamicNode> cases(Verdict verdict) {
        return new CaseTree(root).nodes(folder -> new CaseTests(folder, subject, elsewhere, verdict).nodes());
    }

    private Stream<DynamicNode> distinct() {
        return switch (outputs) {
            case MAY_REPEAT -> Stream.empty();
            case DISTINCT -> Stream.of(DistinctOutputs.test(root));
        };
    }
}
