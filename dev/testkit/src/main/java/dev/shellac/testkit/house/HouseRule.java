package dev.shellac.testkit.house;

import java.io.IOException;
import java.util.List;

/** A sentence that holds, and how to find where it does not. */
record HouseRule(String name, Check check) {
    @FunctionalInterface
    interface Check {
        List<String> violations(ModuleFolder module) throws IOException;
    }
}
