package dev.shellac.model.status;

import java.util.Optional;

/**
 * Status of a VarnishCacheInvalidation.
 *
 * @param phase none before it was taken up
 */
public record CacheInvalidationStatus(Optional<String> phase, ConditionSet conditions) {
    public static final CacheInvalidationStatus NONE = new CacheInvalidationStatus(Optional.empty(), ConditionSet.NONE);
}
