package dev.shellac.translate.resolve;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Metadata;
import dev.shellac.model.Name;
import dev.shellac.model.Snapshot;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.policy.CachePolicy;
import dev.shellac.model.policy.CachePolicy.Target;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.translate.plan.CachePlan;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * VarnishCachePolicies: which one counts for a rule. That of the rule counts before that of its route, and that before
 * that of the Gateway; the one that counts, counts whole. Where two have the same target the older one does.
 */
public final class CachePolicies {
    /** What was found out about a policy. */
    public record Verdict(CachePolicy policy, Optional<Refusal> refusal) {}

    private record Key(GroupKind type, Name target, Optional<String> section) {}

    private static final int MOST_PARTS = 32;
    private static final long MOST_SECONDS = 31_536_000;

    private final Map<Key, CachePolicy> winners = new HashMap<>();
    private final Map<Name, Verdict> verdicts = new LinkedHashMap<>();

    private CachePolicies() {}

    public static CachePolicies of(Snapshot snapshot) {
        var table = new CachePolicies();
        snapshot.all(CachePolicy.class).stream()
                .sorted(Comparator.comparing(CachePolicy::meta, Metadata.byAge()))
                .forEach(policy ->
                        table.verdicts.put(policy.meta().name(), new Verdict(policy, table.refusal(policy, snapshot))));
        return table;
    }

    /** Whether everything that was decided is the same. */
    public boolean agreesWith(CachePolicies other) {
        return winners.equals(other.winners) && verdicts.equals(other.verdicts);
    }

    public List<Verdict> verdicts() {
        return List.copyOf(verdicts.values());
    }

    public Optional<CachePlan> ofRule(Name route, Optional<String> rule) {
        return rule.flatMap(name -> find(GroupKind.HTTP_ROUTE, route, Optional.of(name)))
                .or(() -> find(GroupKind.HTTP_ROUTE, route, Optional.empty()));
    }

    public Optional<CachePlan> ofGateway(Name gateway) {
        return find(GroupKind.GATEWAY, gateway, Optional.empty());
    }

    private Optional<CachePlan> find(GroupKind type, Name target, Optional<String> section) {
        return Optional.ofNullable(winners.get(new Key(type, target, section))).map(CachePolicies::plan);
    }

    private Optional<Refusal> refusal(CachePolicy policy, Snapshot snapshot) {
        Optional<Refusal> faulty = fault(policy).map(message -> new Refusal(Reason.INVALID, message));
        if (faulty.isPresent()) {
            return faulty;
        }
        Target target = policy.target();
        Name name = new Name(policy.meta().name().namespace(), target.name());
        Optional<Refusal> lost = targetFault(target, name, snapshot);
        if (lost.isPresent()) {
            return lost;
        }
        CachePolicy holder = winners.putIfAbsent(new Key(target.type(), name, target.sectionName()), policy);
        return holder == null
                ? Optional.empty()
                : Optional.of(new Refusal(
                        Reason.CONFLICTED,
                        holder.id() + " is older and has the same target; delete one, or point this one elsewhere"));
    }

    private static Optional<Refusal> targetFault(Target target, Name name, Snapshot snapshot) {
        if (target.type().equals(GroupKind.GATEWAY)) {
            return snapshot.find(Gateway.class, name).isPresent()
                    ? Optional.empty()
                    : Optional.of(new Refusal(Reason.TARGET_NOT_FOUND, "Gateway " + name + " does not exist"));
        }
        Optional<HttpRoute> route = snapshot.find(HttpRoute.class, name);
        if (route.isEmpty()) {
            return Optional.of(new Refusal(Reason.TARGET_NOT_FOUND, "HTTPRoute " + name + " does not exist"));
        }
        return target.sectionName()
                .filter(section -> route.get().rules().stream()
                        .noneMatch(rule -> rule.name().equals(Optional.of(section))))
                .map(section ->
                        new Refusal(Reason.TARGET_NOT_FOUND, "HTTPRoute " + name + " has no rule named " + section));
    }

    private static Optional<String> fault(CachePolicy policy) {
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

    private static CachePlan plan(CachePolicy policy) {
        return new CachePlan(
                policy.id(),
                policy.defaultTtl().map(CachePolicies::seconds),
                policy.forcedTtl().map(CachePolicies::seconds),
                policy.grace().map(CachePolicies::seconds).orElse(0L),
                policy.keep().map(CachePolicies::seconds).orElse(0L),
                policy.cacheKey(),
                policy.bypass());
    }

    // To the nearest second, but never to none: a TTL of 100ms is short, it is not forever or never.
    private static long seconds(Duration time) {
        long rounded = (time.toMillis() + 500) / 1000;
        return rounded == 0 && time.isPositive() ? 1 : rounded;
    }
}
