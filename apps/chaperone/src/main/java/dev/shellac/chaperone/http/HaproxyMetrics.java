package dev.shellac.chaperone.http;

import dev.shellac.chaperone.edge.HaproxyCounters;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** HAProxy's counters for Prometheus: some of the process, and some of each port of TLS. */
final class HaproxyMetrics {
    // Of a process that was replaced a counter begins anew, which Prometheus takes as it takes a restart.
    private static final Map<String, String> PROCESS = new TreeMap<>(Map.of(
            "CurrConns", "haproxy_process_current_connections",
            "CumConns", "haproxy_process_connections_total",
            "CurrSslConns", "haproxy_process_current_ssl_connections",
            "CumSslConns", "haproxy_process_ssl_connections_total",
            "CumReq", "haproxy_process_requests_total",
            "PoolUsed_MB", "haproxy_process_pool_used_megabytes",
            "Uptime_sec", "haproxy_process_uptime_seconds"));
    private static final Map<String, String> PORTS = new TreeMap<>(Map.of(
            "scur", "haproxy_frontend_current_sessions",
            "stot", "haproxy_frontend_sessions_total",
            "bin", "haproxy_frontend_bytes_in_total",
            "bout", "haproxy_frontend_bytes_out_total",
            "req_tot", "haproxy_frontend_http_requests_total",
            "ereq", "haproxy_frontend_request_errors_total",
            "hrsp_5xx", "haproxy_frontend_http_responses_5xx_total"));
    private static final String FRONTEND = "https-";

    private HaproxyMetrics() {}

    static String text(HaproxyCounters counted) {
        Map<String, String> info = counted.info()
                .lines()
                .filter(line -> line.contains(": "))
                .collect(Collectors.toMap(
                        line -> line.substring(0, line.indexOf(": ")),
                        line -> line.substring(line.indexOf(": ") + 2),
                        (one, other) -> one));
        var text = new StringBuilder();
        PROCESS.forEach((field, metric) -> sample(text, metric, "", info.getOrDefault(field, "")));
        List<Map<String, String>> ports = rows(counted.frontends());
        PORTS.forEach((field, metric) -> ports.forEach(row -> sample(
                text,
                metric,
                "{port=\"" + row.getOrDefault("pxname", "").substring(FRONTEND.length()) + "\"}",
                row.getOrDefault(field, ""))));
        return text.toString();
    }

    private static void sample(StringBuilder text, String metric, String labels, String value) {
        if (value.matches("[0-9]+")) {
            if (text.indexOf("# TYPE " + metric + " ") < 0) {
                text.append("# TYPE ").append(metric).append(" untyped\n");
            }
            text.append(metric).append(labels).append(' ').append(value).append('\n');
        }
    }

    // "# pxname,svname,…", then a line for each.
    private static List<Map<String, String>> rows(String csv) {
        List<String> lines = csv.lines().filter(line -> !line.isBlank()).toList();
        if (lines.isEmpty()) {
            return List.of();
        }
        String[] names = lines.getFirst().replaceFirst("^# ", "").split(",", -1);
        Function<String, Map<String, String>> row = line -> {
            String[] values = line.split(",", -1);
            var fields = new HashMap<String, String>();
            for (int i = 0; i < Math.min(names.length, values.length); i++) {
                fields.put(names[i], values[i]);
            }
            return fields;
        };
        return lines.stream()
                .skip(1)
                .map(row)
                .filter(fields -> fields.getOrDefault("pxname", "").startsWith(FRONTEND))
                .toList();
    }
}
