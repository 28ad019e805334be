package dev.shellac.varnishd;

import java.lang.System.Logger.Level;
import java.util.regex.Pattern;

/**
 * The log level of each line that varnishd prints, in the order of the lines. What it says of its parameters at the start comes under the heading
 * {@code Warnings:}, and is none most often.
 */
final class OutputLevels {
    private static final Pattern SEVERITY = Pattern.compile("^(Error|Warning|Info|Debug): *.*");
    private static final String HEADING = "Warnings:";
    private static final Pattern NO_WARNING = Pattern.compile("VCL compiled\\.|Change will take effect when .*");

    private boolean underHeading;

    Level of(String line) {
        if (line.isBlank()) {
            return Level.DEBUG;
        }
        if (line.strip().equals(HEADING)) {
            underHeading = true;
            return Level.DEBUG;
        }
        underHeading &= !SEVERITY.matcher(line).matches();
        // varnishd calls what is not its fault an error as well: being told to stop, a child that was killed.
        if (line.startsWith("Error:") || line.startsWith("Assert") || line.startsWith("Child not responding")) {
            return Level.WARNING;
        }
        boolean warns = line.startsWith("Warning")
                || (underHeading && !NO_WARNING.matcher(line.strip()).matches());
        return warns ? Level.INFO : Level.DEBUG;
    }
}
