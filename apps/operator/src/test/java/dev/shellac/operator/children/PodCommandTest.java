package dev.shellac.operator.children;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How the chaperone is started. */
final class PodCommandTest {
    private static final Path IMAGE = Path.of("../../images/gateway");
    private static final String LISTENER = "{name: web, port: 80, protocol: HTTP}";

    /** Java announces each of these variables at each start. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{resources: {limits: {memory: 1Gi}}}",
                "{logging: {mode: varnishncsa}}",
                "{extraEnv: [{name: TZ, value: UTC}]}"
            })
    void noVariableHoldsOptionsOfJava(String parameters) {
        for (Container container : containers(parameters)) {
            assertThat(container.getEnv())
                    .extracting(EnvVar::getName)
                    .doesNotContain("_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS");
        }
    }

    @Test
    void theHeapFollowsTheMemoryLimit() {
        assertThat(containers("{resources: {limits: {memory: 512Mi}}}")
                        .getFirst()
                        .getCommand())
                .contains("-Xmx51m");
        assertThat(containers("{resources: {limits: {memory: 1Gi}}}").getFirst().getCommand())
                .doesNotContain("-Xmx51m")
                .anyMatch(word -> word.startsWith("-Xmx"));
    }

    /** The last one counts, so the image must not have one of its own behind it; all else is as the image has it. */
    @Test
    void theCommandIsThatOfTheImage() throws IOException {
        List<String> command = containers("{}").getFirst().getCommand();
        assertThat(Files.readString(IMAGE.resolve("java.args"))).doesNotContain("-Xmx", "MaxRAMPercentage");
        for (String word : command) {
            if (!word.startsWith("-Xmx")) {
                assertThat(Files.readString(IMAGE.resolve("image.yaml"))).contains(word);
            }
        }
        assertThat(command).last().isEqualTo("@/opt/shellac/chaperone.args");
    }

    private static List<Container> containers(String parameters) {
        return Inputs.of(LISTENER, parameters, Map.of()).children().stream()
                .filter(Deployment.class::isInstance)
                .map(Deployment.class::cast)
                .findFirst()
                .orElseThrow()
                .getSpec()
                .getTemplate()
                .getSpec()
                .getContainers();
    }
}
