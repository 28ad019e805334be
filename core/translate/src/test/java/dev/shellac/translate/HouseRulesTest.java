package dev.shellac.translate;

import dev.shellac.testkit.house.HouseRules;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;

final class HouseRulesTest {
    @TestFactory
    Stream<DynamicNode> rules() {
        return HouseRules.of(Path.of("")).tests();
    }
}
