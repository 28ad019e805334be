package dev.shellac.testkit.golden;

import java.util.Optional;

/** Finds the input of a case that has no {@code in/} of its own, say in another project's test data. */
@FunctionalInterface
public interface InputSource {
    /** Takes the path of the case below the suite's root, with slashes; empty when it has no input to give. */
    Optional<CaseInputs> inputsOf(String caseName) throws Exception;
}
