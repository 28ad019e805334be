package dev.shellac.operator.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.operator.http.OperatorMetrics.Reading;
import dev.shellac.testkit.chart.ChartMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class MetricsTest {
    private static Set<String> exposed() {
        var registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        var metrics = new OperatorMetrics(registry);
        metrics.gateways(List.of(new Reading("shop", "edge", 1)), List.of(new Reading("shop", "edge", 3)));
        metrics.expiry(List.of(new Reading("shop", "cert", 86_400)));
        metrics.wrote(OperatorMetrics.Write.STATUS, OperatorMetrics.End.WRITTEN);
        return ChartMetrics.exposed(registry.scrape());
    }

    @Test
    void alertsAndDashboardsAskForWhatIsExposed() throws Exception {
        assertThat(ChartMetrics.askedFor("shellac_operator")).isNotEmpty();
        assertThat(exposed()).containsAll(ChartMetrics.askedFor("shellac_operator"));
    }

    @Test
    void thePageNamesWhatIsExposedAndNothingElse() throws Exception {
        Set<String> documented = Files.readString(Path.of("../../docs/operator.md"))
                .lines()
                .filter(line -> line.startsWith("| `shellac_operator_"))
                .flatMap(line -> Pattern.compile("`(shellac_operator_[a-z_]+)")
                        .matcher(line)
                        .results()
                        .map(found -> found.group(1)))
                .collect(Collectors.toSet());
        assertThat(exposed().stream()
                        .map(name -> name.replaceFirst("_(bucket|count|sum|max)$", ""))
                        .collect(Collectors.toSet()))
                .isEqualTo(documented);
    }
}
