package dev.shellac.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.shellac.decode.ApiServer.Answer;
import dev.shellac.model.Metadata;
import dev.shellac.model.Resource;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The decoder and a real API server agree: on what is refused, and on what an object is once its defaults are filled in. Every object
 * of the translator's golden cases and of the official suite's tests is tried out on the server, and every object of {@link RulesTest}. Our own
 * kinds have the definitions of the chart there.
 *
 * <p>It needs {@code -Dkubernetes.api} and {@code -Dgateway.api.conformance}; {@code scripts/test-api-server} gives them.
 */
final class ApiServerParity {
    private static final Path CASES = Path.of("../translate/src/test/resources");
    private static final Path CHILDREN = Path.of("../../apps/operator/src/test/resources/golden/children");
    private static final Path EXAMPLES = Path.of("../../examples");
    private static final Path SUITE = Path.of(System.getProperty("gateway.api.conformance", "missing"));

    private static final String SCALARS =
            "y Y n N yes Yes YES on On off OFF no NO true True TRUE tRue false ~ null Null nUll"
                    + " 0 1 -1 +1 0x10 0X10 010 0o10 0b11 1_000 1:30 190:20:30 1.5 1e3 1.5e3 -.5 .5 5. .inf -.Inf .nan .NaN inf"
                    + " 2026-01-01 2026-01-01T00:00:00Z = << a";

    private final ApiServer server = new ApiServer(System.getProperty("kubernetes.api", "missing"));

    @TestFactory
    Stream<DynamicTest> golden() throws IOException {
        return tests(files(CASES.resolve("golden"), "/in/"));
    }

    /** With our own kinds and all that they can hold. */
    @TestFactory
    Stream<DynamicTest> children() throws IOException {
        return tests(files(CHILDREN, "/in/"));
    }

    @TestFactory
    Stream<DynamicTest> examples() throws IOException {
        return tests(files(EXAMPLES, ""));
    }

    @TestFactory
    Stream<DynamicTest> suite() throws IOException {
        var files =
                new ArrayList<>(List.of(SUITE.resolve("base/manifests.yaml"), CASES.resolve("made-by-the-suite.yaml")));
        files.addAll(files(SUITE.resolve("tests"), ""));
        return tests(files);
    }

    @TestFactory
    Stream<DynamicTest> rules() throws NoSuchMethodException, IOException {
        CsvSource rows = RulesTest.class
                .getDeclaredMethod("refused", String.class, String.class, String.class, String.class)
                .getAnnotation(CsvSource.class);
        var manifests = new ArrayList<Manifest>();
        for (String row : rows.value()) {
            String[] cells = row.split("\\|", -1);
            String version = Yaml.kinds().getOrDefault(cells[0], "");
            manifests.add(new Manifest(row, Yaml.object(version, cells[0], cells[1])));
        }
        return compared(manifests);
    }

    /** What stands without quotes in YAML is text, a number, a truth value or nothing: to us as to the server. */
    @TestFactory
    Stream<DynamicTest> scalars() throws IOException {
        return compared(Stream.of(SCALARS.split(" "))
                .map(scalar -> new Manifest(
                        scalar, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {a: " + scalar + "}\n"))
                .toList());
    }

    private Stream<DynamicTest> tests(List<Path> files) throws IOException {
        var manifests = new LinkedHashMap<String, Manifest>();
        for (Path file : files) {
            String text = Files.readString(file)
                    .replace("{GATEWAY_CLASS_NAME}", "varnish")
                    .replace("{GATEWAY_CONTROLLER_NAME}", "varnish-software.com/gateway")
                    // The suite puts addresses in the place of these before it applies them.
                    .replace("PLACEHOLDER_UNUSABLE_ADDRS", "198.51.100.1")
                    .replace("PLACEHOLDER_USABLE_ADDRS", "192.0.2.1")
                    // Examples have their backends on this host, which no cluster allows.
                    .replace("127.0.0.1", "10.0.0.1");
            Manifest.all(file.toString(), text).forEach(found -> manifests.putIfAbsent(found.text(), found));
        }
        return compared(manifests.values());
    }

    private Stream<DynamicTest> compared(Iterable<Manifest> manifests) throws IOException {
        Set<String> namespaces = new TreeSet<>();
        var tests = new ArrayList<DynamicTest>();
        for (Manifest manifest : manifests) {
            if (ApiServer.knows(manifest.kind())) {
                namespaces.add(manifest.namespace());
                tests.add(dynamicTest(manifest.toString(), () -> compare(manifest)));
            }
        }
        for (String namespace : namespaces) {
            server.namespace(namespace);
        }
        assertThat(tests).isNotEmpty();
        return tests.stream();
    }

    private void compare(Manifest manifest) throws IOException {
        Decoded ours = Yaml.decode(manifest.text());
        Answer theirs = server.tryOut(manifest);
        if (isThere(manifest, theirs)) {
            return;
        }
        assertThat(ours.errors().isEmpty())
                .as("%s%nours: %s%ntheirs: %s", manifest.text(), ours.errors(), theirs.message())
                .isEqualTo(theirs.isAccepted());
        if (theirs.isAccepted()) {
            Decoded back = Decoder.decode(List.of(Source.of("answer.json", theirs.body())));
            assertThat(clean(only(ours)))
                    .as("%s%n%s", manifest.text(), back.findings())
                    .isEqualTo(clean(only(back)));
        }
    }

    // A namespace that was made for the others.
    private static boolean isThere(Manifest manifest, Answer answer) {
        return manifest.kind().equals("Namespace") && answer.status() == 409;
    }

    private static Resource only(Decoded decoded) {
        assertThat(decoded.objects()).as("%s", decoded.findings()).hasSize(1);
        return decoded.objects().getFirst().resource();
    }

    // Without what a server says itself: when it was made, as the how manyth, and what controllers think of it.
    private static Map<String, Object> clean(Resource resource) {
        var parts = new LinkedHashMap<String, Object>();
        for (RecordComponent component : resource.getClass().getRecordComponents()) {
            if (!component.getName().equals("status")) {
                parts.put(component.getName(), clean(read(resource, component)));
            }
        }
        return parts;
    }

    private static Object clean(Object part) {
        return part instanceof Metadata meta
                ? new Metadata(
                        meta.name(), "", 0, Optional.empty(), Optional.empty(), meta.labels(), meta.annotations())
                : part;
    }

    private static Object read(Resource resource, RecordComponent component) {
        try {
            return component.getAccessor().invoke(resource);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("a component of a record can be read", e);
        }
    }

    private static List<Path> files(Path below, String within) throws IOException {
        try (Stream<Path> all = Files.walk(below)) {
            return all.filter(file ->
                            file.toString().endsWith(".yaml") && file.toString().contains(within))
                    .sorted()
                    .toList();
        }
    }
}
