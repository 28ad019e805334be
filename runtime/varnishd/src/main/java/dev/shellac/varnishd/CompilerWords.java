package dev.shellac.varnishd;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What the VCL compiler says, without what it says each time. */
final class CompilerWords {
    private static final Pattern PLACE = Pattern.compile("(?:At: )?\\(?\\('?([^']+)'? Line ([0-9]+) Pos ([0-9]+)\\).*");
    private static final List<Pattern> NOISE = List.of(
            Pattern.compile("Message from VCC-compiler:"),
            Pattern.compile("Message from C-compiler:"),
            Pattern.compile("Running (VCC|C)-compiler failed.*"),
            Pattern.compile("VCL compilation failed"),
            Pattern.compile("Could not delete '.*"),
            // the line of the source is shown below its place, underlined
            Pattern.compile("[-#]+"),
            Pattern.compile("\\s*"));

    private CompilerWords() {}

    /** {@code file:line:column} first where the compiler gave a place, then its words, a line each. */
    static String of(String text) {
        String place = "";
        var words = new ArrayList<String>();
        for (String line : text.lines().toList()) {
            Matcher found = PLACE.matcher(line.strip());
            if (found.matches()) {
                if (place.isEmpty()) {
                    place = found.group(1) + ":" + found.group(2) + ":" + found.group(3) + ": ";
                }
            } else if (NOISE.stream().noneMatch(noise -> noise.matcher(line).matches())) {
                words.add(line.strip());
            }
        }
        return place + words.stream().collect(Collectors.joining("\n"));
    }
}
