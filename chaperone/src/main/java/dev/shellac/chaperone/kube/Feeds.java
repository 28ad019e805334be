package dev.shellac.chaperone.kube;

import java.util.Random;

/** Both feeds of a pod. */
public record Feeds(ConfigFeed config, SliceFeed slices) implements AutoCloseable {
    /**
     * Starts to read.
     *
     * @param changed called on other threads whenever something is another; must not block
     */
    public static Feeds start(ApiServer api, String namespace, String configMap, Backoff backoff, Runnable changed) {
        var pace = new ListWatch.Pace(backoff, new Random());
        var feeds =
                new Feeds(new ConfigFeed(api, pace, namespace, configMap, changed), new SliceFeed(api, pace, changed));
        feeds.config().start();
        return feeds;
    }

    @Override
    public void close() {
        config.close();
        slices.close();
    }
}
