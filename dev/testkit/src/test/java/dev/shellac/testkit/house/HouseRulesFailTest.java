package dev.shellac.testkit.house;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each rule, seen to fail on a module that breaks it and to hold on one that comes close. */
final class HouseRulesFailTest {
    private static final String ENVIRONMENT = "only a Main reads";
    private static final String PRINTING = "only a Main or the command line prints";
    private static final String LOGGING = "only a Main touches java.util.logging";
    private static final String PURITY = "the middle has no";

    private static final List<String> BANNED_NAMES = List.of(
            "HostUtil",
            "HostUtils",
            "HostHelper",
            "HostManager",
            "HostImpl",
            "AbstractHost",
            "HostAbstract",
            "HostBase",
            "HostData",
            "HostInfo",
            "HostProcessor");
    private static final List<String> IMPURITIES = List.of(
            "java.io.InputStream a;",
            "java.io.File[] a;",
            "java.nio.file.Path a;",
            "java.net.URI a;",
            "java.net.http.HttpClient a;",
            "java.time.Clock a;",
            "java.time.Instant a = java.time.Instant.now();",
            "java.util.function.Supplier<java.time.LocalDate> a = java.time.LocalDate::now;",
            "long a = System.currentTimeMillis();",
            "long a = System.nanoTime();",
            "double a = Math.random();",
            "java.util.UUID a = java.util.UUID.randomUUID();",
            "System.Logger a;",
            "org.slf4j.Logger a;",
            "Thread.Builder a;",
            "void a() throws InterruptedException { Thread.sleep(1); }",
            "Object a = java.util.concurrent.Executors.newVirtualThreadPerTaskExecutor();",
            "java.util.concurrent.locks.ReentrantLock a;",
            "ProcessBuilder a;",
            "String a = System.getProperty(\"a\");");

    @TempDir
    private Path temporary;

    private List<String> broken(String rule, String module, String type, String body) throws IOException {
        String packageName = "dev.shellac." + module.replace("-", "");
        return FakeModule.named(module, temporary).type(packageName, type, body).brokenBy(ClassRules.ALL, rule);
    }

    @Test
    void bannedNames() throws IOException {
        FakeModule module = FakeModule.named("operator", temporary);
        for (String name : BANNED_NAMES) {
            module.type("dev.shellac.operator", name, "");
        }
        assertEachReported(BANNED_NAMES, module.brokenBy(ClassRules.ALL, "a type has a name"));
    }

    @Test
    void aBannedNameOfANestedType() throws IOException {
        assertThat(broken("a type has a name", "operator", "Host", "static class NameHelper {}"))
                .singleElement()
                .asString()
                .contains("Host$NameHelper");
    }

    @Test
    void aNameOfTheDomain() throws IOException {
        assertThat(broken("a type has a name", "operator", "Database", "Object o = new Object() {};"))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "String a = System.getenv(\"A\");",
                "java.util.Map<String, String> a = System.getenv();",
                "java.util.function.UnaryOperator<String> a = System::getenv;",
                "void a() { System.exit(1); }",
                "void a() { Runnable r = () -> Runtime.getRuntime().halt(1); }",
            })
    void environmentOutsideMain(String body) throws IOException {
        assertThat(broken(ENVIRONMENT, "operator", "Loop", body))
                .singleElement()
                .asString()
                .contains("Loop.java:3");
        assertThat(broken(ENVIRONMENT, "agent", "AgentMain", body + " class Inside { " + body + " }"))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "void a() { System.out.println(); }",
                "void a() { System.err.println(); }",
                "void a(Exception e) { e.printStackTrace(); }",
            })
    void printing(String body) throws IOException {
        assertThat(broken(PRINTING, "operator", "Loop", body)).isNotEmpty();
        assertThat(broken(PRINTING, "agent", "AgentMain", body)).isEmpty();
        assertThat(broken(PRINTING, "cli", "Table", body)).isEmpty();
    }

    @Test
    void javaLogging() throws IOException {
        String body = "java.util.logging.Logger log;";
        assertThat(broken(LOGGING, "operator", "Loop", body)).isNotEmpty();
        assertThat(broken(LOGGING, "cli", "Table", body)).isNotEmpty();
        assertThat(broken(LOGGING, "agent", "AgentMain", body)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"model", "translate", "varnish-config", "vinyl", "avi"})
    void impuritiesInThePureModules(String module) throws IOException {
        List<String> names = IntStream.range(0, IMPURITIES.size())
                .mapToObj(index -> "Type" + index + "Impure")
                .toList();
        assertEachReported(names, impure(module, names).brokenBy(ClassRules.ALL, PURITY));
    }

    @Test
    void theRimMayBeImpure() throws IOException {
        List<String> names = IntStream.range(0, IMPURITIES.size())
                .mapToObj(index -> "Type" + index)
                .toList();
        assertThat(impure("kube", names).brokenBy(ClassRules.ALL, PURITY)).isEmpty();
    }

    private FakeModule impure(String moduleName, List<String> names) throws IOException {
        FakeModule module = FakeModule.named(moduleName, temporary);
        for (int i = 0; i < names.size(); i++) {
            module.type("dev.shellac." + moduleName.replace("-", ""), names.get(i), IMPURITIES.get(i));
        }
        return module;
    }

    private static void assertEachReported(List<String> names, List<String> violations) {
        assertThat(names)
                .allSatisfy(name -> assertThat(violations)
                        .anyMatch(Pattern.compile("\\b" + name + "\\b").asPredicate()));
    }

    @Test
    void valuesThatOnlyLookImpure() throws IOException {
        String body = """
                enum Kind { A, B }
                record Match(String path, java.time.Instant created, java.time.Duration pause) {}
                java.util.concurrent.TimeUnit unit;
                java.util.Map<Kind, Match> a = new java.util.TreeMap<>();
                String print(Object o) { return switch (o) { case Match m -> "m" + m; case Kind k -> "k"; default -> "" + o; }; }
                class Fault extends RuntimeException { Fault(String m) { super(m); } }
                java.util.List<String> b = java.util.stream.Stream.of("b").sorted().toList();
                """;
        assertThat(broken(PURITY, "translate", "Order", body)).isEmpty();
    }

    @Test
    void theAviSessionStandsBesideThePurePart() throws IOException {
        FakeModule module = FakeModule.named("avi", temporary)
                .packageInfo("dev.shellac.avi.rest")
                .type("dev.shellac.avi.rest", "Session", "java.net.http.HttpClient a;");
        assertThat(module.brokenBy(ClassRules.ALL, PURITY)).isEmpty();
        module.packageInfo("dev.shellac.avi.restless").type("dev.shellac.avi.restless", "Diff", "java.net.URI a;");
        assertThat(module.brokenBy(ClassRules.ALL, PURITY)).isNotEmpty();
    }

    @Test
    void aLongFile() throws IOException {
        FakeModule module = FakeModule.named("model", temporary).type("dev.shellac.model", "Long", "\n".repeat(396));
        assertThat(module.brokenBy(SourceRules.ALL, "a file has")).isEmpty();
        module.type("dev.shellac.model", "Long", "\n".repeat(397));
        assertThat(module.brokenBy(SourceRules.ALL, "a file has"))
                .singleElement()
                .asString()
                .endsWith("Long.java has 401 lines");
    }

    @Test
    void aSilentPackage() throws IOException {
        FakeModule module = FakeModule.named("model", temporary).type("dev.shellac.model.names", "Hostname", "");
        assertThat(module.brokenBy(SourceRules.ALL, "a package says"))
                .singleElement()
                .asString()
                .endsWith("names/package-info.java is missing");
        module.source("dev.shellac.model.names", "package-info", "package dev.shellac.model.names;\n");
        assertThat(module.brokenBy(SourceRules.ALL, "a package says"))
                .satisfiesExactly(
                        first -> assertThat(first).contains("does not say what the package is for"),
                        second -> assertThat(second).contains("is not @NullMarked"));
        module.packageInfo("dev.shellac.model.names");
        assertThat(module.brokenBy(SourceRules.ALL, "a package says")).isEmpty();
    }

    @Test
    void aClassOutsideItsModulesPackage() throws IOException {
        // It would otherwise escape the rules that go by package.
        FakeModule module = FakeModule.named("translate", temporary)
                .packageInfo("dev.shellac.kube")
                .type("dev.shellac.kube", "Watch", "");
        assertThat(module.brokenBy(SourceRules.ALL, "a module stays"))
                .hasSize(2)
                .allMatch(sentence -> sentence.endsWith("is outside dev.shellac.translate"));
    }

    @Test
    void classesThatCannotBeReadAreNotClassesThatPass() throws IOException {
        FakeModule module = FakeModule.named("model", temporary).type("dev.shellac.model", "Hostname", "");
        module.compile();
        Path compiled = module.path().resolve("target/classes/dev/shellac/model/Hostname.class");
        byte[] fromTheFuture = Files.readAllBytes(compiled);
        fromTheFuture[7] = (byte) 200;
        Files.write(compiled, fromTheFuture);
        assertThatThrownBy(() -> new ModuleFolder(module.path()).classes())
                .hasMessageContaining("has 2 classes, of which 1 could be read");
    }

    @Test
    void aModuleThatIsNotCompiledDoesNotPass() {
        assertThatThrownBy(() -> new ModuleFolder(temporary.resolve("model")).classes())
                .hasMessageContaining("has 0 classes");
    }

    @Test
    void theTestsOfAModuleFailWithEveryViolation() throws IOException {
        FakeModule module = FakeModule.named("model", temporary)
                .type("dev.shellac.model", "HostHelper", "")
                .type("dev.shellac.model", "HostUtils", "");
        module.compile();
        assertThatThrownBy(() -> {
                    for (var test : HouseRules.of(module.path()).tests().toList()) {
                        ((DynamicTest) test).getExecutable().execute();
                    }
                })
                .hasMessageContaining("a type has a name of the domain")
                .hasMessageContainingAll("HostHelper", "HostUtils");
    }
}
