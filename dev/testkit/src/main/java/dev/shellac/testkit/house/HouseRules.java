package dev.shellac.testkit.house;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.opentest4j.AssertionFailedError;

/**
 * What no code of ours does, as one test per rule over one module's sources and compiled classes. Each module has it
 * run over itself, because testkit is built before all others and sees none of their classes:
 *
 * <pre>{@code
 * final class HouseRulesTest {
 *     @TestFactory
 *     Stream<DynamicNode> rules() {
 *         return HouseRules.of(Path.of("")).tests();
 *     }
 * }
 * }</pre>
 */
public final class HouseRules {
    private static final List<HouseRule> ALL =
            Stream.of(SourceRules.ALL, ClassRules.ALL).flatMap(List::stream).toList();

    private final ModuleFolder module;

    private HouseRules(ModuleFolder module) {
        this.module = module;
    }

    /** The rules over the module in that folder, which must be compiled. */
    public static HouseRules of(Path moduleFolder) {
        return new HouseRules(new ModuleFolder(moduleFolder.toAbsolutePath().normalize()));
    }

    public Stream<DynamicNode> tests() {
        return ALL.stream()
                .map(rule -> DynamicTest.dynamicTest(rule.name(), () -> {
                    List<String> violations = rule.check().violations(module);
                    if (!violations.isEmpty()) {
                        throw new AssertionFailedError(rule.name() + ":\n" + String.join("\n", violations));
                    }
                }));
    }
}
