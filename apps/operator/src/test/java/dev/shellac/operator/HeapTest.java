package dev.shellac.operator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How the image has the virtual machine run. */
final class HeapTest {
    private static final Pattern HEAP = Pattern.compile("\\sMaxHeapSize\\s+= (\\d+)\\s");

    @ParameterizedTest
    @CsvSource({"512,192", "1024,384", "4096,1536"})
    void theHeapFollowsTheContainersLimit(int limit, int heap) throws Exception {
        Process java = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "@" + Path.of("../..", "images", "operator", "java.args"),
                        "-XX:MaxRAM=" + limit + "m",
                        "-XX:+PrintFlagsFinal",
                        "-version"))
                .redirectErrorStream(true)
                .start();
        String said = new String(java.getInputStream().readAllBytes(), UTF_8);
        Matcher found = HEAP.matcher(said);
        assertThat(found.find()).as(said).isTrue();
        assertThat(Long.parseLong(found.group(1)) >> 20).isEqualTo(heap);
    }
}
