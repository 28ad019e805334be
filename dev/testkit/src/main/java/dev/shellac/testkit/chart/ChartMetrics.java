package dev.shellac.testkit.chart;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The metrics that the chart's alerts and dashboards ask for, to be compared with what is exposed. */
public final class ChartMetrics {
    private static final Path CHART = Path.of("../../charts/shellac");
    private static final Pattern SAMPLE = Pattern.compile("(?m)^([a-zA-Z_:][a-zA-Z0-9_:]*)[{ ]");

    private ChartMetrics() {}

    /** The names with one of these beginnings that alerts and dashboards have in them. */
    public static SortedSet<String> askedFor(String... beginnings) throws IOException {
        Pattern name = Pattern.compile("\\b(?:" + String.join("|", beginnings) + ")_[a-z0-9_]+");
        try (Stream<Path> dashboards = Files.list(CHART.resolve("dashboards"))) {
            var names = new TreeSet<String>();
            for (Path file : Stream.concat(Stream.of(CHART.resolve("alerts.yaml")), dashboards)
                    .toList()) {
                name.matcher(Files.readString(file)).results().forEach(found -> names.add(found.group()));
            }
            return names;
        }
    }

    /** The names of the samples in what a program exposes. */
    public static Set<String> exposed(String text) {
        return SAMPLE.matcher(text).results().map(found -> found.group(1)).collect(Collectors.toSet());
    }
}
