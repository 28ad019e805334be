package dev.shellac.chaperone.kube;

import java.util.Optional;
import java.util.Random;

/**
 * All feeds of a pod.
 *
 * @param secret the certificates', where a Gateway may have some
 */
public record PodWatches(ConfigMapWatch config, EndpointSliceWatch slices, Optional<SecretWatch> secret)
        implements AutoCloseable {
    /**
     * What is read of a namespace, by name.
     *
     * @param secret what the names of the Secrets with certificates begin with
     */
    public record Names(String namespace, String configMap, Optional<String> secret) {}

    /**
     * Starts to read.
     *
     * @param changed called on other threads whenever something is another; must not block
     */
    public static PodWatches start(ApiServer api, Names names, Backoff backoff, Runnable changed) {
        var pace = new ListWatch.Pace(backoff, new Random());
        var watches = new PodWatches(
                new ConfigMapWatch(api, pace, names.namespace(), names.configMap(), changed),
                new EndpointSliceWatch(
                        api, pace, SliceStore.Bounds.ofHeap(Runtime.getRuntime().maxMemory()), changed),
                names.secret().map(secret -> SecretWatch.start(api, pace, names.namespace(), secret, changed)));
        watches.config().start();
        return watches;
    }

    @Override
    public void close() {
        config.close();
        slices.close();
        secret.ifPresent(SecretWatch::close);
    }
}
