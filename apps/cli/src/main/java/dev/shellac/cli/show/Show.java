package dev.shellac.cli.show;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.PrintWriter;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;

/** Where a command prints, and whether in colour. */
public record Show(PrintWriter out, PrintWriter err, Ansi ansi) {
    private static final JsonMapper JSON = JsonMapper.builder()
            .defaultPrettyPrinter(new DefaultPrettyPrinter()
                    .withObjectIndenter(new DefaultIndenter("  ", "\n"))
                    .withArrayIndenter(new DefaultIndenter("  ", "\n")))
            .build();

    public static Show of(CommandSpec spec) {
        return new Show(
                spec.commandLine().getOut(),
                spec.commandLine().getErr(),
                spec.commandLine().getColorScheme().ansi());
    }

    public void line(String text) {
        out.println(text);
    }

    /** As it is. */
    public void text(String text) {
        out.print(text);
        out.flush();
    }

    /** Maps, lists, text and numbers. */
    public void json(Object tree) {
        try {
            out.println(JSON.writerWithDefaultPrettyPrinter().writeValueAsString(tree));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    public String bold(String text) {
        return styled("1", text);
    }

    public String red(String text) {
        return styled("31", text);
    }

    public String green(String text) {
        return styled("32", text);
    }

    public String yellow(String text) {
        return styled("33", text);
    }

    public String faint(String text) {
        return styled("2", text);
    }

    // Not picocli's markup: a message may hold any text, and some would be read as markup.
    private String styled(String code, String text) {
        return ansi.enabled() && !text.isEmpty() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }
}
