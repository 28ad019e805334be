package dev.shellac.testkit.house;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The modules that the root pom really has, held against {@link LayerFolder} and {@link Layer}. */
record ModuleGraph(Path root, Pom parent, List<Pom> modules) {
    private static final Set<String> GATES = Set.of(
            "enforcer.skip",
            "maven.compiler.release",
            "maven.test.skip",
            "skipITs",
            "skipTests",
            "spotless.check.skip",
            "spotless.skip");

    static ModuleGraph read(Path root) throws IOException {
        Pom parent = Pom.read(root.resolve("pom.xml"));
        var modules = new ArrayList<Pom>();
        for (String module : parent.modules()) {
            modules.add(Pom.read(root.resolve(module).resolve("pom.xml")));
        }
        return new ModuleGraph(root, parent, modules);
    }

    /** Every broken rule, a sentence each. */
    List<String> violations() throws IOException {
        var violations = new ArrayList<String>();
        for (Pom.Dependency dependency : parent.dependencies()) {
            violations.add("the root pom gives " + dependency.artifactId()
                    + " to every module; a module names what it uses itself");
        }
        for (int i = 0; i < modules.size(); i++) {
            String path = parent.modules().get(i);
            String name = name(path);
            folders(path, modules.get(i)).forEach(violations::add);
            Optional<Layer> layer = Layer.of(name);
            if (layer.isEmpty()) {
                violations.add(name + " is not in the table of modules; add it to Layer with what it may use");
                continue;
            }
            shape(name, modules.get(i)).forEach(violations::add);
            gates(path, name, modules.get(i)).forEach(violations::add);
            for (Pom.Dependency dependency : modules.get(i).dependencies()) {
                use(name, layer.orElseThrow(), dependency).ifPresent(violations::add);
            }
        }
        return violations;
    }

    private static String name(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** Dependencies of tests count, too, for Maven builds in their order. Only testkit is for the tests of all. */
    private Stream<String> folders(String path, Pom pom) {
        Optional<LayerFolder> folder = LayerFolder.of(path);
        if (folder.isEmpty()) {
            return Stream.of(path + " is not in a folder of modules; move it into one of "
                    + Arrays.toString(LayerFolder.values()));
        }
        return pom.dependencies().stream()
                .filter(Pom.Dependency::isOurs)
                .map(Pom.Dependency::module)
                .filter(used -> !used.equals(Layer.TESTKIT.module()))
                .flatMap(used ->
                        parent.modules().stream().filter(other -> name(other).equals(used)))
                .filter(used -> LayerFolder.of(used).stream()
                        .anyMatch(layer -> !folder.orElseThrow().mayUse(layer)))
                .map(used -> path + " may not use " + used + "; modules in " + folder.orElseThrow()
                        + " may use those in " + folder.orElseThrow().usable());
    }

    private static Stream<String> shape(String name, Pom pom) {
        var faults = Stream.<String>builder();
        if (!pom.artifactId().equals(Pom.PREFIX + name)) {
            faults.add(name + " has the artifactId " + pom.artifactId() + " instead of " + Pom.PREFIX + name);
        }
        if (!pom.modules().isEmpty()) {
            faults.add(name + " has modules of its own; the graph has one level");
        }
        pom.dependencies().stream()
                .filter(dependency -> !dependency.version().isEmpty())
                .map(dependency -> name + " gives " + dependency.artifactId()
                        + " a version; versions are pinned in the root pom alone")
                .forEach(faults);
        return faults.build();
    }

    private Stream<String> gates(String path, String name, Pom pom) throws IOException {
        if (name.endsWith(Layer.GENERATED)) {
            return Stream.empty();
        }
        var faults = Stream.<String>builder();
        pom.settings().stream()
                .filter(property -> property.startsWith("lint.") || GATES.contains(property))
                .map(property -> name + " overrides " + property + "; only a module of generated code, named x"
                        + Layer.GENERATED + ", may weaken a gate")
                .forEach(faults);
        if (pom.settings().contains(Pom.COMPILER_ARGS)) {
            faults.add(name + " sets compiler arguments of its own, which can replace the lints of the root pom");
        }
        if (!runsHouseRules(path)) {
            faults.add(name + " has no test named HouseRulesTest, so nothing holds its classes to the house rules");
        }
        return faults.build();
    }

    private boolean runsHouseRules(String path) throws IOException {
        Path tests = root.resolve(path).resolve("src/test/java");
        if (!Files.isDirectory(tests)) {
            return false;
        }
        try (Stream<Path> files = Files.walk(tests)) {
            return files.anyMatch(file -> file.endsWith("HouseRulesTest.java"));
        }
    }

    private static Optional<String> use(String name, Layer layer, Pom.Dependency dependency) {
        if (!dependency.isMain()) {
            return Optional.empty();
        }
        if (!dependency.isOurs()) {
            return layer.mayUseLibrary(dependency.groupId())
                    ? Optional.empty()
                    : Optional.of(name + " may not use the library " + dependency.groupId() + ":"
                            + dependency.artifactId() + "; it may use those of " + layer.libraries());
        }
        String used = dependency.module();
        Optional<Layer> target = Layer.of(used);
        if (target.isEmpty()) {
            return Optional.of(name + " uses " + used + ", which is not in the table of modules");
        }
        if (target.get().equals(Layer.TESTKIT)) {
            return Optional.of(name + " uses testkit outside tests; give the dependency the scope test");
        }
        boolean ownGeneratedCode = used.equals(layer.module() + Layer.GENERATED) && !used.equals(name);
        return ownGeneratedCode || layer.mayUse(target.get())
                ? Optional.empty()
                : Optional.of(name + " may not use " + used + "; it may use " + layer.modules());
    }
}
