package dev.shellac.varnishd;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.varnishd.json.JsonTree;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** What varnishstat prints, once. */
final class Counters {
    private Counters() {}

    static Map<String, Long> read(List<String> varnishstat, Path workdir, Duration timeout)
            throws IOException, InterruptedException {
        var command = new ArrayList<>(varnishstat);
        command.addAll(List.of("-1", "-j", "-n", workdir.toString()));
        Process process =
                new ProcessBuilder(command).redirectError(Redirect.DISCARD).start();
        var text = new StringBuilder();
        Thread reader = Thread.ofVirtual().start(() -> drain(process, text));
        try {
            if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException("varnishstat took longer than " + timeout);
            }
            reader.join();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        if (process.exitValue() != 0) {
            throw new IOException("varnishstat failed with " + process.exitValue());
        }
        return parse(text.toString());
    }

    private static void drain(Process process, StringBuilder into) {
        try {
            into.append(new String(process.getInputStream().readAllBytes(), UTF_8));
        } catch (IOException e) {
            // The process was killed because it took too long, which is said there.
        }
    }

    /** Before Varnish 6.5 the counters were on the top level. */
    static Map<String, Long> parse(String json) throws IOException {
        JsonTree root = JsonTree.parse(json);
        JsonTree counters = root.members().containsKey("counters") ? root.get("counters") : root;
        var values = new TreeMap<String, Long>();
        counters.members().forEach((name, counter) -> {
            if (counter.members().containsKey("value")) {
                values.put(name, counter.get("value").whole());
            }
        });
        return values;
    }
}
