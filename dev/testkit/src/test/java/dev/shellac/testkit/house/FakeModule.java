package dev.shellac.testkit.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.ToolProvider;

/** A module written into a temporary folder and really compiled, to see a rule fail on it. */
record FakeModule(Path path) {

    /** An empty module of that name with a root package that keeps the rules about packages. */
    static FakeModule named(String name, Path temporary) throws IOException {
        var module = new FakeModule(temporary.resolve(name));
        return module.packageInfo("dev.shellac." + name.replace("-", ""));
    }

    FakeModule packageInfo(String packageName) throws IOException {
        String text = "/** What it is for. */\n@NullMarked\npackage " + packageName
                + ";\nimport org.jspecify.annotations.NullMarked;\n";
        return source(packageName, "package-info", text);
    }

    /** A type whose body is given, in that package. */
    FakeModule type(String packageName, String simpleName, String body) throws IOException {
        String text = "package " + packageName + ";\npublic class " + simpleName + " {\n" + body + "\n}\n";
        return source(packageName, simpleName, text);
    }

    FakeModule source(String packageName, String fileName, String text) throws IOException {
        Path folder = path.resolve("src/main/java").resolve(packageName.replace('.', '/'));
        Files.createDirectories(folder);
        Files.writeString(folder.resolve(fileName + ".java"), text);
        return this;
    }

    /** What the rule of that name says about this module. */
    List<String> brokenBy(List<HouseRule> rules, String nameStart) throws IOException {
        compile();
        HouseRule rule = rules.stream()
                .filter(candidate -> candidate.name().startsWith(nameStart))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no rule starts with: " + nameStart));
        return rule.check().violations(new ModuleFolder(path));
    }

    void compile() throws IOException {
        var arguments = new ArrayList<String>();
        arguments.addAll(
                List.of("-proc:none", "-d", path.resolve("target/classes").toString()));
        arguments.addAll(List.of("-classpath", System.getProperty("java.class.path")));
        ModuleFolder.files(path.resolve("src/main/java"), ".java").forEach(file -> arguments.add(file.toString()));
        var errors = new ByteArrayOutputStream();
        int result = ToolProvider.getSystemJavaCompiler().run(null, errors, errors, arguments.toArray(String[]::new));
        assertThat(result).as(() -> errors.toString(StandardCharsets.UTF_8)).isZero();
    }
}
