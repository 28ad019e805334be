package dev.shellac.testkit.golden;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/** A suite as JUnit really ran it: each test's path (containers and name, with slashes) and how it ended. */
record SuiteRun(Map<String, Optional<String>> failures) {
    // The fixture is made by JUnit, which leaves no other way to hand it the suite under test.
    private static final ThreadLocal<Stream<DynamicNode>> NODES = new ThreadLocal<>();

    static SuiteRun of(Stream<DynamicNode> nodes) {
        NODES.set(nodes);
        try {
            var failures = new LinkedHashMap<String, Optional<String>>();
            EngineTestKit.engine("junit-jupiter")
                    .selectors(selectClass(Fixture.class))
                    .execute()
                    .allEvents()
                    .finished()
                    .stream()
                    .filter(event ->
                            event.getTestDescriptor().isTest() || failure(event).isPresent())
                    .forEach(event -> failures.put(path(event.getTestDescriptor()), failure(event)));
            return new SuiteRun(failures);
        } finally {
            NODES.remove();
        }
    }

    List<String> tests() {
        return List.copyOf(failures.keySet());
    }

    List<String> failed() {
        return failures.entrySet().stream()
                .filter(test -> test.getValue().isPresent())
                .map(Map.Entry::getKey)
                .toList();
    }

    /** How the one test that failed explains itself. */
    String onlyFailure() {
        if (failed().size() != 1) {
            throw new AssertionError("expected one failure, not " + failures);
        }
        return message(failed().getFirst());
    }

    String message(String test) {
        return failures.getOrDefault(test, Optional.empty())
                .orElseThrow(() -> new AssertionError(test + " did not fail: " + failures));
    }

    private static Optional<String> failure(Event event) {
        return event.getPayload(TestExecutionResult.class)
                .filter(result -> result.getStatus() != TestExecutionResult.Status.SUCCESSFUL)
                .flatMap(TestExecutionResult::getThrowable)
                .map(Throwable::toString);
    }

    private static String path(TestDescriptor test) {
        return test.getParent()
                .filter(parent ->
                        parent.getUniqueId().getLastSegment().getType().startsWith("dynamic"))
                .map(parent -> path(parent) + " / " + test.getDisplayName())
                .orElseGet(test::getDisplayName);
    }

    static final class Fixture {
        @TestFactory
        Stream<DynamicNode> nodes() {
            return NODES.get();
        }
    }
}
