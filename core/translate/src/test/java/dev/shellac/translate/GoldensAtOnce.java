package dev.shellac.translate;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;

/** All golden cases as one test, for {@code scripts/mutants-translate}: its runner does not see tests that are made while it runs. */
final class GoldensAtOnce {
    @Test
    void golden() throws Throwable {
        run(new TranslateGoldenTest().cases());
    }

    private static void run(Stream<? extends DynamicNode> nodes) throws Throwable {
        for (DynamicNode node : nodes.toList()) {
            switch (node) {
                case DynamicContainer container -> run(container.getChildren());
                case DynamicTest test -> test.getExecutable().execute();
                default -> throw new IllegalStateException("neither: " + node);
            }
        }
    }
}
