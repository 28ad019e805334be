package dev.shellac.translate.resolve;

import dev.shellac.model.GroupKind;
import dev.shellac.model.policy.CachePolicy;
import dev.shellac.model.policy.CachePolicy.Target;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/** Whether a VarnishCachePolicy makes sense by itself, whatever else there is. */
final class CachePolicyCheck {
    private static final int MOST_PARTS = 32;
    private static final long MOST_SECONDS = 31_536_000;

    private CachePolicyCheck() {}

    /** What contradicts itself or goes too far. */
    static Optional<String> fault(CachePolicy policy) {
        return targetKindFault(policy.target())
                .or(() -> lifetimeFault(policy))
                .or(() -> policy.cacheKey().includeParams().isEmpty()
                                || policy.cacheKey().excludeParams().isEmpty()
                        ? Optional.empty()
                        : Optional.of("cacheKey.queryParameters has both include and exclude: choose one"))
                .or(() -> keyParts(policy) > MOST_PARTS || policy.bypass().size() > MOST_PARTS
                        ? Optional.of("more than " + MOST_PARTS + " parts in cacheKey, or headers in bypass")
                        : Optional.empty())
                .or(() -> policy.bypass().stream()
                        .flatMap(header -> header.valueRegex().stream())
                        .flatMap(
                                regex -> Patterns.fault(regex)
                                        .map(fault -> "bypass regex '" + regex + "' cannot be used: " + fault)
                                        .stream())
                        .findFirst());
    }

    private static Optional<String> targetKindFault(Target target) {
        if (!target.type().equals(GroupKind.GATEWAY) && !target.type().equals(GroupKind.HTTP_ROUTE)) {
            return Optional.of("targetRef names a " + target.type() + "; it must be a Gateway or HTTPRoute");
        }
        return target.type().equals(GroupKind.GATEWAY) && target.sectionName().isPresent()
                ? Optional.of("a policy for one listener is not supported: leave out targetRef.sectionName")
                : Optional.empty();
    }

    private static Optional<String> lifetimeFault(CachePolicy policy) {
        if (policy.defaultTtl().isPresent() == policy.forcedTtl().isPresent()) {
            return Optional.of("exactly one of defaultTTL and forcedTTL must be set");
        }
        if (Stream.concat(policy.defaultTtl().stream(), policy.forcedTtl().stream())
                .anyMatch(ttl -> !ttl.isPositive())) {
            return Optional.of("defaultTTL and forcedTTL must be greater than zero");
        }
        if (Stream.concat(policy.grace().stream(), policy.keep().stream()).anyMatch(Duration::isNegative)) {
            return Optional.of("grace and keep must not be negative");
        }
        return Stream.of(policy.defaultTtl(), policy.forcedTtl(), policy.grace(), policy.keep())
                        .flatMap(Optional::stream)
                        .anyMatch(time -> time.toSeconds() > MOST_SECONDS)
                ? Optional.of("no time may be longer than a year")
                : Optional.empty();
    }

    private static int keyParts(CachePolicy policy) {
        return Math.max(
                policy.cacheKey().headers().size(),
                Math.max(
                        policy.cacheKey().includeParams().size(),
                        policy.cacheKey().excludeParams().size()));
    }
}
