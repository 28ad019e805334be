package dev.shellac.testkit.house;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Rules over compiled classes, which see through imports, method references and fully qualified names. */
final class ClassRules {
    private static final Pattern BANNED_NAME =
            Pattern.compile("^Abstract|(Utils?|Helper|Manager|Impl|Abstract|Base|Data|Info|Processor)$");

    static final List<HouseRule> ALL = List.of(
            new HouseRule("a type has a name of the domain", ClassRules::bannedNames),
            new HouseRule("only a Main reads the environment or exits", ClassRules::environment),
            new HouseRule("only a Main or the command line prints", ClassRules::printing),
            new HouseRule("only a Main touches java.util.logging", ClassRules::javaLogging),
            new HouseRule("the middle has no file, socket, clock, thread, logger or chance", ClassRules::impurities));

    private ClassRules() {}

    private static List<String> bannedNames(ModuleFolder module) throws IOException {
        return module.classes().stream()
                .filter(type -> !type.isAnonymousClass()
                        && BANNED_NAME.matcher(type.getSimpleName()).find())
                .map(type -> type.getName() + " says what it is for the program, not what it is")
                .toList();
    }

    private static List<String> environment(ModuleFolder module) throws IOException {
        return accesses(module, type -> !isMain(type), access -> switch (target(access)) {
            case "java.lang.System.getenv",
                    "java.lang.System.exit",
                    "java.lang.Runtime.exit",
                    "java.lang.Runtime.halt" -> true;
            default -> false;
        });
    }

    private static List<String> printing(ModuleFolder module) throws IOException {
        return accesses(module, type -> !isMain(type) && !isCommandLine(type), access -> switch (target(access)) {
            case "java.lang.System.out", "java.lang.System.err" -> true;
            default -> access.getName().equals("printStackTrace");
        });
    }

    private static List<String> javaLogging(ModuleFolder module) throws IOException {
        return dependencies(module, type -> !isMain(type), used -> used.startsWith("java.util.logging."));
    }

    private static List<String> impurities(ModuleFolder module) throws IOException {
        if (!module.isPure()) {
            return List.of();
        }
        Predicate<JavaClass> pure = type -> !Purity.isExempt(type.getPackageName());
        return Stream.concat(
                        dependencies(module, pure, Purity::forbidsType).stream(),
                        accesses(module, pure, access -> Purity.forbidsAccess(owner(access), access.getName()))
                                .stream())
                .toList();
    }

    private static List<String> accesses(
            ModuleFolder module, Predicate<JavaClass> where, Predicate<JavaAccess<?>> forbidden) throws IOException {
        return module.classes().stream()
                .filter(where)
                .flatMap(type -> type.getAccessesFromSelf().stream())
                .filter(forbidden)
                .map(JavaAccess::getDescription)
                .sorted()
                .toList();
    }

    private static List<String> dependencies(
            ModuleFolder module, Predicate<JavaClass> where, Predicate<String> forbidden) throws IOException {
        return module.classes().stream()
                .filter(where)
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(use -> forbidden.test(
                        use.getTargetClass().getBaseComponentType().getName()))
                .map(Dependency::getDescription)
                .sorted()
                .toList();
    }

    private static String target(JavaAccess<?> access) {
        return owner(access) + "." + access.getName();
    }

    private static String owner(JavaAccess<?> access) {
        return access.getTargetOwner().getName();
    }

    // A class inside a Main is part of it.
    private static boolean isMain(JavaClass type) {
        JavaClass outer = type;
        for (Optional<JavaClass> next = Optional.of(type); next.isPresent(); next = outer.getEnclosingClass()) {
            outer = next.get();
        }
        return outer.getSimpleName().endsWith("Main");
    }

    private static boolean isCommandLine(JavaClass type) {
        return (type.getPackageName() + ".").startsWith(Pom.GROUP + ".cli.");
    }
}
