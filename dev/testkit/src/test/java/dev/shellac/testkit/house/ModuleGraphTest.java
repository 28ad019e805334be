package dev.shellac.testkit.house;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The real graph holds, and graphs that break a rule are seen to. */
final class ModuleGraphTest {
    @TempDir
    private Path root;

    @Test
    void theGraphOfThisRepositoryHolds() throws IOException {
        ModuleGraph graph = ModuleGraph.read(Path.of("../..").toRealPath());
        assertThat(graph.parent().modules()).contains("dev/testkit");
        assertThat(graph.violations()).isEmpty();
    }

    private static String ours(String module) {
        return dependency("dev.shellac", "shellac-" + module, "");
    }

    private static String dependency(String group, String artifact, String rest) {
        return "<dependency><groupId>%s</groupId><artifactId>%s</artifactId>%s</dependency>"
                .formatted(group, artifact, rest);
    }

    private static String dependencies(String... dependencies) {
        return "<dependencies>" + String.join("", dependencies) + "</dependencies>";
    }

    /** A module without a folder goes where modules of all folders may be used: its test is not about folders. */
    private static String path(String module) {
        return module.contains("/") ? module : "apps/" + module;
    }

    private void module(String module, String body) throws IOException {
        String path = path(module);
        pom(path, "<artifactId>shellac-" + path.substring(path.indexOf('/') + 1) + "</artifactId>" + body);
        Path tests = Files.createDirectories(root.resolve(path).resolve("src/test/java/dev"));
        Files.writeString(tests.resolve("HouseRulesTest.java"), "");
    }

    private void pom(String folder, String body) throws IOException {
        Files.createDirectories(root.resolve(folder));
        Files.writeString(
                root.resolve(folder).resolve("pom.xml"),
                "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">" + body + "</project>");
    }

    private List<String> violations(String... modules) throws IOException {
        pom(
                "",
                "<modules>"
                        + Stream.of(modules)
                                .map(ModuleGraphTest::path)
                                .map("<module>%s</module>"::formatted)
                                .reduce("", String::concat)
                        + "</modules>");
        return ModuleGraph.read(root).violations();
    }

    /** The violations of two modules, the first of which depends on the second. */
    private List<String> arrow(String from, String to, String rest) throws IOException {
        String artifact = "shellac-" + to.substring(to.indexOf('/') + 1);
        module(to, "");
        module(from, dependencies(dependency("dev.shellac", artifact, rest)));
        return violations(from, to);
    }

    @ParameterizedTest
    @CsvSource({
        "decode, model",
        "translate, model",
        "varnish-config, translate",
        "varnish-config, model",
        "vinyl, varnish-config",
        "vinyl, translate",
        "avi, translate",
        "avi, model",
        "kube, decode",
        "kube, model",
        "kube, threads",
        "chaperone, threads",
        "operator, kube",
        "operator, avi",
        "chaperone, varnishd",
        "agent, varnishd",
        "cli, varnish-config",
        "testkit, varnishd",
        "testkit, cli",
    })
    void anArrowThatTheTableHas(String from, String to) throws IOException {
        module(from, dependencies(ours(to)));
        assertThat(violations(from)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "model, decode",
        "model, translate",
        "decode, translate",
        "translate, decode",
        "translate, varnish-config",
        "translate, kube",
        "varnish-config, vinyl",
        "varnish-config, avi",
        "avi, varnish-config",
        "vinyl, kube",
        "kube, translate",
        "threads, model",
        "varnishd, model",
        "operator, chaperone",
        "cli, operator",
        "agent, agent",
    })
    void anArrowThatTheTableLacks(String from, String to) throws IOException {
        module(from, dependencies(ours(to)));
        assertThat(violations(from))
                .singleElement()
                .asString()
                .startsWith(from + " may not use " + to + "; it may use [");
    }

    @ParameterizedTest
    @CsvSource({
        "core/decode, core/model",
        "encode/varnish-config, core/translate",
        "encode/vinyl, encode/varnish-config",
        "runtime/kube, core/decode",
        "runtime/kube, encode/decode",
        "runtime/kube, runtime/threads",
        "apps/operator, core/decode",
        "apps/operator, encode/varnish-config",
        "apps/operator, runtime/kube",
        "apps/cli, apps/explain",
        "dev/testkit, apps/cli",
    })
    void anArrowToALayerBelow(String from, String to) throws IOException {
        assertThat(arrow(from, to, "")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "core/decode, encode/model, '[core]'",
        "core/decode, runtime/model, '[core]'",
        "core/decode, apps/model, '[core]'",
        "core/decode, dev/model, '[core]'",
        "encode/varnish-config, runtime/translate, '[core, encode]'",
        "encode/varnish-config, apps/translate, '[core, encode]'",
        "runtime/kube, apps/threads, '[core, encode, runtime]'",
        "runtime/kube, dev/threads, '[core, encode, runtime]'",
        "apps/operator, dev/kube, '[core, encode, runtime, apps]'",
    })
    void anArrowToALayerAbove(String from, String to, String usable) throws IOException {
        String folder = from.substring(0, from.indexOf('/'));
        String violation = from + " may not use " + to + "; modules in " + folder + " may use those in " + usable;
        assertThat(arrow(from, to, "")).containsExactly(violation);
        assertThat(arrow(from, to, "<scope>test</scope>")).containsExactly(violation);
    }

    @Test
    void everyModuleMayUseTestkitInItsTests() throws IOException {
        assertThat(arrow("core/model", "dev/testkit", "<scope>test</scope>")).isEmpty();
        assertThat(arrow("core/model", "dev/testkit", ""))
                .containsExactly("model uses testkit outside tests; give the dependency the scope test");
    }

    @ParameterizedTest
    @ValueSource(strings = {"model", "core/deep/model", "corer/model", "charts/model"})
    void aModuleOutsideTheFolders(String path) throws IOException {
        pom("", "<modules><module>" + path + "</module></modules>");
        pom(path, "<artifactId>shellac-model</artifactId>");
        assertThat(ModuleGraph.read(root).violations())
                .contains(path + " is not in a folder of modules;"
                        + " move it into one of [core, encode, runtime, apps, dev]");
    }

    @Test
    void anArrowHiddenInAProfileOrBehindAPropertyOrAScope() throws IOException {
        module(
                "translate",
                "<profiles><profile>"
                        + dependencies(dependency("${project.groupId}", "shellac-kube", "<scope>provided</scope>"))
                        + "</profile></profiles>");
        assertThat(violations("translate")).singleElement().asString().startsWith("translate may not use kube");
    }

    @Test
    void anUnknownModule() throws IOException {
        module("common", "");
        assertThat(violations("common"))
                .containsExactly("common is not in the table of modules; add it to Layer with what it may use");
    }

    @Test
    void anUnknownModuleInAProfile() throws IOException {
        module("common", "");
        pom("", "<profiles><profile><modules><module>apps/common</module></modules></profile></profiles>");
        assertThat(ModuleGraph.read(root).violations())
                .singleElement()
                .asString()
                .startsWith("common is not");
    }

    @Test
    void anUnknownDependencyOfOurs() throws IOException {
        module("translate", dependencies(ours("common")));
        assertThat(violations("translate"))
                .containsExactly("translate uses common, which is not in the table of modules");
    }

    @ParameterizedTest
    @CsvSource({
        "translate, io.fabric8, kubernetes-client",
        "translate, com.fasterxml.jackson.core, jackson-databind",
        "translate, org.slf4j, slf4j-api",
        "varnish-config, org.slf4j, slf4j-api",
        "model, com.google.guava, guava",
        "decode, io.fabric8, kubernetes-client",
        "decode, com.fasterxml.jacksonlike, impostor",
        "varnishd, io.vertx, vertx-core",
    })
    void aLibraryThatTheTableLacks(String module, String group, String artifact) throws IOException {
        module(module, dependencies(dependency(group, artifact, "")));
        assertThat(violations(module))
                .singleElement()
                .asString()
                .startsWith(module + " may not use the library " + group + ":" + artifact);
    }

    @ParameterizedTest
    @CsvSource({
        "model, org.jspecify",
        "vinyl, org.jspecify",
        "decode, com.fasterxml.jackson.core",
        "kube, com.fasterxml.jackson.core",
        "kube, io.fabric8",
        "operator, io.javaoperatorsdk",
        "cli, info.picocli",
    })
    void aLibraryThatTheTableHas(String module, String group) throws IOException {
        module(module, dependencies(dependency(group, "any", "")));
        assertThat(violations(module)).isEmpty();
    }

    @Test
    void testsMayUseMoreThanMainCode() throws IOException {
        module(
                "translate",
                dependencies(
                        dependency("dev.shellac", "shellac-testkit", "<scope>test</scope>"),
                        dependency("dev.shellac", "shellac-decode", "<scope>test</scope>"),
                        dependency("org.assertj", "assertj-core", "<scope>test</scope>")));
        assertThat(violations("translate")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"operator", "translate"})
    void testkitOutsideTests(String module) throws IOException {
        module(module, dependencies(ours("testkit")));
        assertThat(violations(module))
                .containsExactly(module + " uses testkit outside tests; give the dependency the scope test");
    }

    @ParameterizedTest
    @CsvSource({"lint.javac", "lint.werror", "lint.errorprone", "spotless.check.skip", "skipTests"})
    void aWeakenedGate(String property) throws IOException {
        String override = "<properties><%s>x</%s></properties>".formatted(property, property);
        module("kube", override);
        module("kube-generated", override);
        assertThat(violations("kube", "kube-generated"))
                .singleElement()
                .asString()
                .startsWith("kube overrides " + property);
    }

    @Test
    void compilerArgumentsOfAModulesOwn() throws IOException {
        module(
                "kube",
                "<build><plugins><plugin><configuration><compilerArgs/></configuration></plugin></plugins></build>");
        assertThat(violations("kube")).singleElement().asString().startsWith("kube sets compiler arguments");
    }

    @Test
    void generatedCodeIsForOneModuleAndItsUsers() throws IOException {
        module("kube-generated", dependencies(dependency("io.fabric8", "kubernetes-client", "")));
        module("kube", dependencies(ours("kube-generated")));
        module("operator", dependencies(ours("kube-generated")));
        assertThat(violations("kube-generated", "kube", "operator")).isEmpty();
        module("decode", dependencies(ours("kube-generated")));
        module("kube-generated", dependencies(ours("kube")));
        assertThat(violations("decode", "kube-generated"))
                .satisfiesExactly(
                        first -> assertThat(first).startsWith("decode may not use kube-generated"),
                        second -> assertThat(second).startsWith("kube-generated may not use kube;"));
    }

    @Test
    void aModuleWithoutHouseRules() throws IOException {
        pom("apps/model", "<artifactId>shellac-model</artifactId>");
        assertThat(violations("model")).singleElement().asString().startsWith("model has no test named HouseRulesTest");
    }

    @Test
    void aModuleOfTheWrongShape() throws IOException {
        module("kube", "");
        pom(
                "apps/kube",
                "<artifactId>kube</artifactId><modules><module>deep</module></modules>"
                        + dependencies(dependency("io.fabric8", "kubernetes-client", "<version>1</version>")));
        assertThat(violations("kube"))
                .containsExactly(
                        "kube has the artifactId kube instead of shellac-kube",
                        "kube has modules of its own; the graph has one level",
                        "kube gives kubernetes-client a version; versions are pinned in the root pom alone");
    }

    @Test
    void aDependencyForEverybody() throws IOException {
        pom("", dependencies(dependency("com.google.guava", "guava", "")));
        assertThat(ModuleGraph.read(root).violations())
                .singleElement()
                .asString()
                .startsWith("the root pom gives guava to every module");
    }

    @Test
    void aPomThatCannotBeRead() throws IOException {
        module("model", "");
        Files.writeString(root.resolve("apps/model/pom.xml"), "<project");
        assertThatThrownBy(() -> violations("model"))
                .hasMessageContaining(root.resolve("apps/model/pom.xml") + " cannot be read as XML");
    }
}
