package dev.shellac.translate.resolve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.route.Match;
import dev.shellac.model.route.PathMatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The same table as in {@code normal_paths.rs} of ghost-core: what orders routes and what matches them agree. */
final class NormalPathTest {
    private static final Path TABLE = Path.of("../../ghost/ghost-core/tests/normal-paths.txt");

    static Stream<String> lines() throws IOException {
        return Files.readAllLines(TABLE).stream();
    }

    @ParameterizedTest
    @MethodSource("lines")
    void eachPathHasTheFormThatGhostMatches(String line) {
        String[] words = line.split(" -> | refused: ", 2);
        assertThat(words).hasSize(2);
        Optional<String> fault = line.contains(" -> ") ? Optional.empty() : Optional.of(words[1]);
        String form = fault.isEmpty() ? words[1] : words[0];
        assertThat(NormalPath.fault(new PathMatch.Exact(words[0]))).isEqualTo(fault);
        assertThat(NormalPath.fault(new PathMatch.Prefix(words[0]))).isEqualTo(fault);
        assertThat(NormalPath.of(new PathMatch.Exact(words[0]))).isEqualTo(new PathMatch.Exact(form));
        assertThat(NormalPath.of(new PathMatch.Prefix(words[0]))).isEqualTo(new PathMatch.Prefix(form));
    }

    @Test
    void aFormHasItself() throws IOException {
        lines().filter(line -> line.contains(" -> "))
                .map(line -> new PathMatch.Prefix(line.split(" -> ", 2)[1]))
                .forEach(form -> assertThat(NormalPath.of(form)).isEqualTo(form));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "//", "//a", "/a//b", "/a//", "/a/..//b", "/a\tb", "/\u007f"})
    void whatNoRouteMayHaveIsRefused(String path) {
        assertThat(NormalPath.fault(new PathMatch.Exact(path))).isPresent();
    }

    @Test
    void theLengthOfTheNormalFormIsBounded() {
        assertThat(NormalPath.fault(new PathMatch.Exact("/" + "a".repeat(1023))))
                .isEmpty();
        assertThat(NormalPath.fault(new PathMatch.Exact("/" + "a".repeat(1024))))
                .isPresent();
        assertThat(NormalPath.fault(new PathMatch.Exact("/" + "%61".repeat(1023))))
                .isEmpty();
    }

    @Test
    void aQuestionMarkOfAPathIsNoQuery() {
        assertThat(NormalPath.of(new PathMatch.Exact("/a?%61"))).isEqualTo(new PathMatch.Exact("/a%3Fa"));
    }

    @Test
    void aRegularExpressionStaysAsItIs() {
        var pattern = new PathMatch.Pattern("/%61/../[^/]*");
        assertThat(NormalPath.of(pattern)).isSameAs(pattern);
        assertThat(NormalPath.fault(pattern)).isEmpty();
    }

    @Test
    void aMatchThatIsNormalStaysTheSameObject() {
        var match = new Match(new PathMatch.Prefix("/api/"), List.of(), List.of(), Optional.of("GET"));
        assertThat(NormalPath.of(match)).isSameAs(match);
    }
}
