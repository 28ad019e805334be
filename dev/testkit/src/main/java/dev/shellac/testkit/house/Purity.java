package dev.shellac.testkit.house;

import java.util.List;
import java.util.Set;

/** What the middle may not touch. Time, chance, files and threads are for the rim, which hands in what they gave. */
final class Purity {
    private static final List<String> PACKAGES = List.of(
            "java.io.",
            "java.net.",
            "java.nio.channels.",
            "java.nio.file.",
            "java.util.concurrent.locks.",
            "java.util.logging.",
            "javax.net.",
            "org.slf4j.");

    // Bytes that are in memory already, for the readers of the JDK that take nothing else.
    private static final Set<String> HARMLESS = Set.of("java.io.ByteArrayInputStream");

    private static final Set<String> TYPES = Set.of(
            "java.lang.Process",
            "java.lang.ProcessBuilder",
            "java.lang.ProcessHandle",
            "java.lang.Runtime",
            "java.lang.System$Logger",
            "java.lang.Thread",
            "java.lang.ThreadLocal",
            "java.security.SecureRandom",
            "java.time.Clock",
            "java.time.InstantSource",
            "java.util.Timer",
            "java.util.concurrent.CompletableFuture",
            "java.util.concurrent.Executor",
            "java.util.concurrent.ExecutorService",
            "java.util.concurrent.Executors",
            "java.util.concurrent.ForkJoinPool",
            "java.util.concurrent.ThreadLocalRandom");

    private static final Set<String> ACCESSES = Set.of(
            "java.lang.Math.random",
            "java.lang.System.currentTimeMillis",
            "java.lang.System.err",
            "java.lang.System.getProperty",
            "java.lang.System.getenv",
            "java.lang.System.in",
            "java.lang.System.nanoTime",
            "java.lang.System.out",
            "java.util.Collection.parallelStream",
            "java.util.UUID.randomUUID");

    // The Avi session stands beside the pure part of its module, in a package of its own.
    private static final String EXEMPT = "dev.shellac.avi.rest";

    private Purity() {}

    static boolean isExempt(String packageName) {
        return (packageName + ".").startsWith(EXEMPT + ".");
    }

    static boolean forbidsType(String type) {
        return !HARMLESS.contains(type)
                && (TYPES.contains(type)
                        || TYPES.contains(outermost(type))
                        || PACKAGES.stream().anyMatch(type::startsWith));
    }

    static boolean forbidsAccess(String owner, String name) {
        return ACCESSES.contains(owner + "." + name) || (owner.startsWith("java.time.") && name.equals("now"));
    }

    private static String outermost(String type) {
        int nested = type.indexOf('$');
        return nested < 0 ? type : type.substring(0, nested);
    }
}
