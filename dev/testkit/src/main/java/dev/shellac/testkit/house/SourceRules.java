package dev.shellac.testkit.house;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Rules over source text. */
final class SourceRules {
    private static final int MOST_LINES = 400;

    static final List<HouseRule> ALL = List.of(
            new HouseRule("a file has at most " + MOST_LINES + " lines", SourceRules::longFiles),
            new HouseRule("a package says what it is for, and is null-marked", SourceRules::silentPackages),
            new HouseRule("a module stays below its own package", SourceRules::strangers));

    private SourceRules() {}

    private static List<String> longFiles(ModuleFolder module) throws IOException {
        var violations = new ArrayList<String>();
        for (Path file : module.sources()) {
            int lines = Files.readAllLines(file).size();
            if (lines > MOST_LINES) {
                violations.add(file + " has " + lines + " lines");
            }
        }
        return violations;
    }

    private static List<String> silentPackages(ModuleFolder module) throws IOException {
        var folders = new TreeSet<Path>();
        for (Path file : mainFiles(module)) {
            folders.add(folderOf(file));
        }
        var violations = new ArrayList<String>();
        for (Path folder : folders) {
            Path about = folder.resolve("package-info.java");
            if (!Files.isRegularFile(about)) {
                violations.add(about + " is missing");
                continue;
            }
            String text = Files.readString(about);
            if (!text.contains("/**")) {
                violations.add(about + " does not say what the package is for");
            }
            if (!text.contains("@NullMarked")) {
                violations.add(about + " is not @NullMarked");
            }
        }
        return violations;
    }

    private static List<String> strangers(ModuleFolder module) throws IOException {
        Path home = module.mainSources().resolve(module.rootPackage().replace('.', '/'));
        return mainFiles(module).stream()
                .filter(file -> !file.startsWith(home))
                .map(file -> file + " is outside " + module.rootPackage())
                .toList();
    }

    private static List<Path> mainFiles(ModuleFolder module) throws IOException {
        return ModuleFolder.files(module.mainSources(), ".java").stream()
                .filter(file -> !file.endsWith("module-info.java"))
                .toList();
    }

    private static Path folderOf(Path file) {
        Path folder = file.getParent();
        return folder == null ? file : folder;
    }
}
