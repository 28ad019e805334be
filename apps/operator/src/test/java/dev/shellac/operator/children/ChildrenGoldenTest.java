package dev.shellac.operator.children;

import dev.shellac.testkit.golden.GoldenCase;
import dev.shellac.testkit.golden.GoldenOutput;
import dev.shellac.testkit.golden.GoldenSuite;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;

/** YAML to the objects of the Gateway in it. Each case holds the objects that it is about. */
final class ChildrenGoldenTest {
    private static final KubernetesSerialization YAML = new KubernetesSerialization();
    private static final Set<String> PERMISSIONS = Set.of("ServiceAccount", "Role", "RoleBinding");
    private static final Set<String> USUAL = Set.of("Deployment", "Service", "NetworkPolicy");

    @TestFactory
    Stream<DynamicNode> cases() {
        return GoldenSuite.at(Path.of("src/test/resources/golden/children"), ChildrenGoldenTest::objects)
                .withDistinctOutputs()
                .tests();
    }

    private static List<GoldenOutput> objects(GoldenCase input) throws IOException {
        Inputs inputs = Inputs.of(input.texts());
        return List.of(
                GoldenOutput.onRequest("permissions.yaml", () -> some(inputs, PERMISSIONS)),
                GoldenOutput.onRequest("deployment.yaml", () -> some(inputs, Set.of("Deployment"))),
                GoldenOutput.onRequest("services.yaml", () -> some(inputs, Set.of("Service"))),
                GoldenOutput.onRequest("network.yaml", () -> some(inputs, Set.of("NetworkPolicy"))),
                GoldenOutput.onRequest(
                        "others.yaml",
                        () -> print(inputs.children().stream()
                                .filter(object ->
                                        !PERMISSIONS.contains(object.getKind()) && !USUAL.contains(object.getKind()))
                                .toList())),
                GoldenOutput.onRequest("configmaps.yaml", () -> print(inputs.configMaps())),
                GoldenOutput.onRequest("secret.yaml", () -> print(inputs.certificates())));
    }

    private static String some(Inputs inputs, Set<String> kinds) {
        return print(inputs.children().stream()
                .filter(object -> kinds.contains(object.getKind()))
                .toList());
    }

    private static String print(Collection<? extends HasMetadata> objects) {
        return objects.stream().map(YAML::asYaml).collect(Collectors.joining());
    }
}
