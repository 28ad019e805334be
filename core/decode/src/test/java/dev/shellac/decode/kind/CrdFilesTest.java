package dev.shellac.decode.kind;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The definitions in the chart are those of the decoder's shapes. {@code -Dgolden=update} writes them, and fails. */
final class CrdFilesTest {
    private static final Path FOLDER = Path.of("../../charts/shellac/crds");

    static List<CrdFile> files() {
        return CrdFile.ALL;
    }

    @ParameterizedTest
    @MethodSource("files")
    void sameAsTheShapes(CrdFile file) throws IOException {
        same(FOLDER.resolve(file.fileName()), file.yaml());
    }

    @Test
    void thePageAsWell() throws IOException {
        same(Path.of("../../docs/reference/kinds.md"), KindsPage.text());
    }

    private static void same(Path path, String wanted) throws IOException {
        String before = Files.exists(path) ? Files.readString(path) : "";
        if (System.getProperty("golden", "").equals("update")) {
            Files.writeString(path, wanted);
        }
        assertThat(before).isEqualTo(wanted);
    }

    @Test
    void noOthers() throws IOException {
        try (Stream<Path> found = Files.list(FOLDER)) {
            assertThat(found.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(
                            CrdFile.ALL.stream().map(CrdFile::fileName).toList());
        }
    }
}
