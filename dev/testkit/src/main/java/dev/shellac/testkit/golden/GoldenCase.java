package dev.shellac.testkit.golden;

import java.io.IOException;
import java.nio.file.Path;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** What the code under test sees of a case. It remembers which files were asked for, so that none lies unread. */
public final class GoldenCase {
    private final String name;
    private final CaseInputs inputs;
    private final Optional<Path> options;
    private final NavigableSet<Path> unread = new TreeSet<>();

    GoldenCase(String name, CaseInputs inputs, Optional<Path> options) {
        this.name = name;
        this.inputs = inputs;
        this.options = options;
        unread.addAll(inputs.files().values());
        options.ifPresent(unread::add);
    }

    /** The path of the case below the suite's root, with slashes. */
    public String name() {
        return name;
    }

    /** The names of all inputs, in order. Asking for the names reads nothing. */
    public Set<String> inputNames() {
        return inputs.files().keySet();
    }

    /** The input of that name. */
    public String text(String inputName) throws IOException {
        return TextFile.read(file(inputName));
    }

    /** All inputs by name, in order of name. */
    public SortedMap<String, String> texts() throws IOException {
        var texts = new TreeMap<String, String>();
        for (String inputName : inputNames()) {
            texts.put(inputName, text(inputName));
        }
        return texts;
    }

    /** Where the input of that name is, for code that opens files itself; counts as read. */
    public Path file(String inputName) {
        Path file = inputs.files().get(inputName);
        if (file == null) {
            throw new IllegalArgumentException(
                    "case " + name + " has no input " + inputName + ", only " + String.join(", ", inputNames()));
        }
        unread.remove(file);
        return file;
    }

    /** The text of {@code options.yaml}, where the case has one. */
    public Optional<String> options() throws IOException {
        if (options.isEmpty()) {
            return Optional.empty();
        }
        unread.remove(options.get());
        return Optional.of(TextFile.read(options.get()));
    }

    Set<Path> unread() {
        return unread;
    }
}
