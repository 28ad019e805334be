package dev.shellac.chaperone.http;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * varnishd's counters for Prometheus: {@code MAIN.client_req} is {@code varnish_main_client_req}; what there are several of is told
 * apart by a label, {@code SMA.s0.g_bytes} is {@code varnish_sma_g_bytes{name="s0"}}. Backends come and go with endpoints and VCLs,
 * so their counters are summed up. varnishstat does not say here which of them only grow: they are untyped.
 */
final class VarnishMetrics {
    private static final String BACKENDS = "VBE";
    private static final int MOST_NAMES = 100;
    private static final String OTHER = "other";

    private final Map<String, Map<String, Long>> series = new TreeMap<>();

    private VarnishMetrics() {}

    static String text(Map<String, Long> counters) {
        var metrics = new VarnishMetrics();
        counters.forEach(metrics::add);
        return metrics.print();
    }

    private void add(String counter, long value) {
        int first = counter.indexOf('.');
        int last = counter.lastIndexOf('.');
        String kind = first < 0 ? "" : counter.substring(0, first);
        String field = counter.substring(last + 1);
        if (kind.isEmpty() || (kind.equals(BACKENDS) && field.equals("happy"))) {
            return; // a history in bits has no sum
        }
        String name = first == last || kind.equals(BACKENDS) ? "" : counter.substring(first + 1, last);
        Map<String, Long> values = series.computeIfAbsent(
                "varnish_" + (kind + "_" + field).toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_]", "_"),
                metric -> new TreeMap<>());
        String label = values.size() < MOST_NAMES || values.containsKey(name) ? name : OTHER;
        values.merge(label, value, Long::sum);
    }

    private String print() {
        var text = new StringBuilder();
        series.forEach((metric, values) -> {
            text.append("# TYPE ").append(metric).append(" untyped\n");
            values.forEach((name, value) -> {
                text.append(metric);
                if (!name.isEmpty()) {
                    text.append("{name=\"").append(escaped(name)).append("\"}");
                }
                text.append(' ').append(value).append('\n');
            });
        });
        return text.toString();
    }

    private static String escaped(String label) {
        return label.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }
}
