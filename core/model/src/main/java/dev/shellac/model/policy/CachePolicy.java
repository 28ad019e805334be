package dev.shellac.model.policy;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Metadata;
import dev.shellac.model.Resource;
import dev.shellac.model.status.PolicyStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A VarnishCachePolicy: how responses of a Gateway, a route or one rule are cached. Its schema has no rules of its own;
 * what contradicts itself is found in translation and reported in status.
 */
public record CachePolicy(
        Metadata meta,
        Target target,
        Optional<Duration> defaultTtl,
        Optional<Duration> forcedTtl,
        Optional<Duration> grace,
        Optional<Duration> keep,
        CacheKey cacheKey,
        List<BypassHeader> bypass,
        PolicyStatus status)
        implements Resource {
    /** A Gateway or HTTPRoute of the same namespace; the section is the name of a rule. */
    public record Target(GroupKind type, String name, Optional<String> sectionName) {}

    /** What tells two cached objects apart, besides host and path. */
    public record CacheKey(List<String> headers, List<String> includeParams, List<String> excludeParams) {
        public static final CacheKey PLAIN = new CacheKey(List.of(), List.of(), List.of());

        public CacheKey {
            headers = List.copyOf(headers);
            includeParams = List.copyOf(includeParams);
            excludeParams = List.copyOf(excludeParams);
        }
    }

    /** A request header that keeps a request away from the cache, by presence or by what is found in its value. */
    public record BypassHeader(String name, Optional<String> valueRegex) {}

    public CachePolicy {
        bypass = List.copyOf(bypass);
    }

    @Override
    public GroupKind type() {
        return GroupKind.CACHE_POLICY;
    }
}
