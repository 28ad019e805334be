package dev.shellac.chaperone.edge;

import dev.shellac.model.Secret;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Certificates of the process that runs, which takes new contents one by one.
 *
 * @param verdicts spare it those that HAProxy has refused before
 */
record RunningCertificates(Haproxy program, HaproxyReleaseStore store, CertificateVerdicts verdicts) {
    private static final System.Logger LOG = System.getLogger(RunningCertificates.class.getName());

    /** Those that it does not take, with HAProxy's words: they stay as they were. */
    Map<String, String> refused(LiveRelease now, HaproxyRelease asked, List<String> changed)
            throws IOException, InterruptedException {
        var files = new TreeMap<>(asked.files());
        files.keySet().retainAll(changed);
        var alone = new HaproxyRelease("", files);
        Map<String, String> refused = new TreeMap<>(verdicts.bad(store.write(alone), alone, changed));
        for (Map.Entry<String, Secret> file : files.entrySet()) {
            if (!refused.containsKey(file.getKey())) {
                program.replace(now.started(), file.getKey(), file.getValue())
                        .ifPresent(words -> refused.put(file.getKey(), words));
            }
        }
        refused.forEach((name, words) ->
                LOG.log(Level.WARNING, "certificate {0} is refused, the one before stays: {1}", name, words));
        return refused;
    }
}
