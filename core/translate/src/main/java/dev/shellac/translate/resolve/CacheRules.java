package dev.shellac.translate.resolve;

import dev.shellac.model.ResourceId;
import dev.shellac.model.policy.CachePolicy.BypassHeader;
import dev.shellac.model.policy.CachePolicy.CacheKey;
import java.util.List;
import java.util.Optional;

/** How responses are cached, in whole seconds, and by which policy. */
public record CacheRules(
        ResourceId policy,
        Optional<Long> defaultTtlSeconds,
        Optional<Long> forcedTtlSeconds,
        long graceSeconds,
        long keepSeconds,
        CacheKey cacheKey,
        List<BypassHeader> bypass) {
    public CacheRules {
        bypass = List.copyOf(bypass);
    }
}
