package dev.shellac.chaperone.kube;

import java.util.Optional;
import java.util.Random;

/**
 * All feeds of a pod.
 *
 * @param secret the certificates', where a Gateway may have some
 */
public record Feeds(ConfigFeed config, SliceFeed slices, Optional<SecretFeed> secret) implements AutoCloseable {
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
    public static Feeds start(ApiServer api, Names names, Backoff backoff, Runnable changed) {
        var pace = new ListWatch.Pace(backoff, new Random());
        var feeds = new Feeds(
                new ConfigFeed(api, pace, names.namespace(), names.configMap(), changed),
                new SliceFeed(
                        api, pace, SliceStore.Bounds.ofHeap(Runtime.getRuntime().maxMemory()), changed),
                names.secret().map(secret -> SecretFeed.start(api, pace, names.namespace(), secret, changed)));
        feeds.config().start();
        return feeds;
    }

    @Override
    public void close() {
        config.close();
        slices.close();
        secret.ifPresent(SecretFeed::close);
    }
}
