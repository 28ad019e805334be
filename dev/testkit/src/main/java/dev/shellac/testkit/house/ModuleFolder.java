package dev.shellac.testkit.house;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.opentest4j.AssertionFailedError;

/** One module on disk, as Maven lays it out. Its classes are read once, for all the rules. */
final class ModuleFolder {
    private final Path path;
    private List<JavaClass> classes = List.of();

    ModuleFolder(Path path) {
        this.path = path;
    }

    String name() {
        Path last = path.getFileName();
        return last == null ? path.toString() : last.toString();
    }

    /** All that the module defines lies below this package, so that a rule about a package is one about a module. */
    String rootPackage() {
        return Pom.GROUP + "." + name().replace("-", "");
    }

    boolean isPure() {
        return Layer.of(name()).filter(Layer::isPure).isPresent();
    }

    Path mainSources() {
        return path.resolve("src/main/java");
    }

    List<Path> sources() throws IOException {
        return files(path.resolve("src"), ".java");
    }

    /** The classes of main code, in order of name. There is at least one, or this throws. */
    synchronized List<JavaClass> classes() throws IOException {
        if (classes.isEmpty()) {
            classes = read(path.resolve("target/classes"));
        }
        return classes;
    }

    private static List<JavaClass> read(Path compiled) throws IOException {
        long expected = files(compiled, ".class").stream()
                .filter(file -> !file.endsWith("module-info.class"))
                .count();
        List<JavaClass> found = new ClassFileImporter()
                .importPath(compiled).stream()
                        .sorted(Comparator.comparing(JavaClass::getName))
                        .toList();
        // ArchUnit skips a class file that it is too old to read, and every rule would pass over nothing.
        if (expected == 0 || found.size() != expected) {
            throw new AssertionFailedError(compiled + " has " + expected + " classes, of which " + found.size()
                    + " could be read: compile the module, or take an ArchUnit that reads this Java");
        }
        return found;
    }

    static List<Path> files(Path folder, String suffix) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(suffix) && Files.isRegularFile(file))
                    .sorted()
                    .toList();
        }
    }
}
