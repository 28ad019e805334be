package dev.shellac.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** What a typed command prints, on both streams, and its exit code. */
record Typed(String out, String err, int code) {
    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

    static Typed run(Ansi ansi, List<String> arguments) {
        var out = new StringWriter();
        var err = new StringWriter();
        CommandLine line =
                Shellac.commandLine(ansi).setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        int code = line.execute(arguments.toArray(String[]::new));
        line.getOut().flush();
        line.getErr().flush();
        return new Typed(out.toString(), err.toString(), code);
    }

    static Typed run(String... arguments) {
        return run(Ansi.OFF, List.of(arguments));
    }

    /** As a shell would cut it; single quotes alone. */
    static List<String> words(String line) {
        var words = new ArrayList<String>();
        Matcher found = WORD.matcher(line);
        while (found.find()) {
            words.add(found.group(1) == null ? found.group(2) : found.group(1));
        }
        return words;
    }
}
