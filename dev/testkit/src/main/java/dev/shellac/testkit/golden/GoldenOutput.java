package dev.shellac.testkit.golden;

import java.util.concurrent.Callable;

/** One file of a case's {@code out/}, by its name there ({@code plan.yaml}, {@code hosts/a.json}). */
public sealed interface GoldenOutput {
    String name();

    /** Every case must hold this file. */
    static GoldenOutput always(String name, String text) {
        return new Always(name, text);
    }

    /** Only cases that have this file in {@code out/} hold it; for the others {@code text} is never called. */
    static GoldenOutput onRequest(String name, Callable<String> text) {
        return new OnRequest(name, text);
    }

    /** A file of this name belongs to another suite over the same folders: neither checked, written nor stray here. */
    static GoldenOutput elsewhere(String name) {
        return new Elsewhere(name);
    }

    record Always(String name, String text) implements GoldenOutput {
        public Always {
            requireInside(name);
        }
    }

    record OnRequest(String name, Callable<String> text) implements GoldenOutput {
        public OnRequest {
            requireInside(name);
        }
    }

    record Elsewhere(String name) implements GoldenOutput {
        public Elsewhere {
            requireInside(name);
        }
    }

    // An update writes and deletes by these names, so none may leave out/.
    private static void requireInside(String name) {
        for (String segment : name.split("/", -1)) {
            if (segment.isBlank() || segment.equals(".") || segment.equals("..") || segment.contains("\\")) {
                throw new IllegalArgumentException("not a file name inside out/: '" + name + "'");
            }
        }
    }
}
