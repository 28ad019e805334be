package dev.shellac.testkit.house;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A module and what it may use in main scope. A constant can only name those above it, so the table cannot hold a
 * cycle. What a module may use, its users may use too.
 */
record Layer(String module, Code code, List<Layer> uses, Set<String> ownLibraries) {
    /** Where code stands: in the middle, at the rim, or as the process that wires both. */
    enum Code {
        PURE,
        EDGE,
        PROGRAM
    }

    /** A module of generated code is named after the one module that it is for. */
    static final String GENERATED = "-generated";

    // Libraries are named by group. A program may use any.
    private static final Layer MODEL = new Layer("model", Code.PURE, List.of(), Set.of("org.jspecify"));
    private static final Layer DECODE =
            new Layer("decode", Code.EDGE, List.of(MODEL), Set.of("com.fasterxml.jackson", "tools.jackson"));
    // RE2/J, because a pattern must mean here what it means in the linear-time matcher of the data plane.
    private static final Layer TRANSLATE = new Layer("translate", Code.PURE, List.of(MODEL), Set.of("com.google.re2j"));
    private static final Layer VARNISH_CONFIG = new Layer("varnish-config", Code.PURE, List.of(TRANSLATE), Set.of());
    // Reads the table that the data plane reads, and shares no code with what writes it: it is a second opinion.
    private static final Layer EXPLAIN = new Layer(
            "explain", Code.PURE, List.of(), Set.of("org.jspecify", "com.fasterxml.jackson", "com.google.re2j"));
    private static final Layer VINYL = new Layer("vinyl", Code.PURE, List.of(MODEL, VARNISH_CONFIG), Set.of());
    private static final Layer AVI = new Layer("avi", Code.PURE, List.of(TRANSLATE), Set.of());
    private static final Layer THREADS = new Layer("threads", Code.EDGE, List.of(), Set.of("org.jspecify"));
    private static final Layer KUBE =
            new Layer("kube", Code.EDGE, List.of(DECODE, THREADS), Set.of("io.fabric8", "org.slf4j"));
    // Jackson's streaming parser alone: counters, lists and ghost's answers are JSON, and its users have it anyway.
    private static final Layer VARNISHD =
            new Layer("varnishd", Code.EDGE, List.of(), Set.of("org.jspecify", "com.fasterxml.jackson.core"));
    private static final List<Layer> PARTS =
            List.of(MODEL, DECODE, TRANSLATE, VARNISH_CONFIG, EXPLAIN, VINYL, AVI, THREADS, KUBE, VARNISHD);

    private static final Layer OPERATOR = new Layer("operator", Code.PROGRAM, PARTS, Set.of());
    private static final Layer CHAPERONE = new Layer("chaperone", Code.PROGRAM, PARTS, Set.of());
    private static final Layer AGENT = new Layer("agent", Code.PROGRAM, PARTS, Set.of());
    private static final Layer CLI = new Layer("cli", Code.PROGRAM, PARTS, Set.of());
    private static final List<Layer> PROGRAMS = List.of(OPERATOR, CHAPERONE, AGENT, CLI);

    static final Layer TESTKIT = new Layer("testkit", Code.PROGRAM, joined(PARTS, PROGRAMS), Set.of());
    static final List<Layer> TABLE = joined(TESTKIT.uses(), List.of(TESTKIT));

    static Optional<Layer> of(String module) {
        String name = module.endsWith(GENERATED) ? module.substring(0, module.length() - GENERATED.length()) : module;
        return TABLE.stream().filter(layer -> layer.module().equals(name)).findFirst();
    }

    boolean isPure() {
        return code == Code.PURE;
    }

    boolean mayUse(Layer other) {
        return uses.contains(other) || uses.stream().anyMatch(used -> used.mayUse(other));
    }

    boolean mayUseLibrary(String groupId) {
        return code == Code.PROGRAM
                || libraries().stream().anyMatch(group -> groupId.equals(group) || groupId.startsWith(group + "."));
    }

    List<String> modules() {
        return TABLE.stream().filter(this::mayUse).map(Layer::module).toList();
    }

    Set<String> libraries() {
        var libraries = new TreeSet<>(ownLibraries);
        uses.forEach(used -> libraries.addAll(used.libraries()));
        return libraries;
    }

    private static List<Layer> joined(List<Layer> first, List<Layer> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }
}
