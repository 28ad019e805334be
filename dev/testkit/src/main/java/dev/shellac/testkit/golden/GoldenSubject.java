package dev.shellac.testkit.golden;

import java.util.List;

/** The code under test, as a function from a case's input to the files that it says. */
@FunctionalInterface
public interface GoldenSubject {
    /** Runs once per case. An exception fails that case alone. */
    List<GoldenOutput> run(GoldenCase input) throws Exception;
}
