package dev.shellac.translate.resolve;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Metadata;
import dev.shellac.model.Name;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Snapshot;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.persistent.Change;
import dev.shellac.model.persistent.PersistentList;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.model.policy.CachePolicy;
import dev.shellac.model.policy.CachePolicy.Target;
import dev.shellac.model.route.HttpRoute;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * VarnishCachePolicies: which one counts for a rule. That of the rule counts before that of its route, and that before
 * that of the Gateway; the one that counts, counts whole. Where two have the same target the older one does.
 *
 * <p>Whether a policy counts depends on its target and on the other policies with this target alone, so a change looks
 * at the targets that it is about.
 *
 * @param byTarget the policies, by what they are for, oldest first
 * @param winners by what they are for, those that count, by section
 * @param verdicts by the name of the policy
 */
public record CachePolicies(
        PersistentMap<ResourceId, PersistentList<CachePolicy>> byTarget,
        PersistentMap<ResourceId, Map<Optional<String>, CachePolicy>> winners,
        PersistentMap<Name, Verdict> verdicts) {
    /** What was found out about a policy. */
    public record Verdict(CachePolicy policy, Optional<Refusal> refusal) {}

    public static final CachePolicies NONE =
            new CachePolicies(PersistentMap.empty(), PersistentMap.empty(), PersistentMap.empty());

    private static final Comparator<CachePolicy> OLDEST_FIRST =
            Comparator.comparing(CachePolicy::meta, Metadata.byAge());

    /** These policies were those of {@code before}; what has changed since then is looked at again. */
    public CachePolicies after(Snapshot before, Snapshot now) {
        List<Change<Name, CachePolicy>> changes = now.changesSince(before, CachePolicy.class);
        var targets = new TreeSet<ResourceId>();
        CachePolicies next = this;
        for (Change<Name, CachePolicy> change : changes) {
            change.before().map(CachePolicies::target).ifPresent(targets::add);
            change.after().map(CachePolicies::target).ifPresent(targets::add);
            next = next.sorted(change);
        }
        now.changesSince(before, HttpRoute.class)
                .forEach(change -> targets.add(new ResourceId(GroupKind.HTTP_ROUTE, change.key())));
        now.changesSince(before, Gateway.class)
                .forEach(change -> targets.add(new ResourceId(GroupKind.GATEWAY, change.key())));
        for (ResourceId target : targets) {
            next = next.withVerdictOn(target, now);
        }
        return next;
    }

    /** The targets for which not the same policies count as there. */
    public Set<ResourceId> targetsUnlike(CachePolicies other) {
        return winners.changesSince(other.winners).stream().map(Change::key).collect(Collectors.toSet());
    }

    /** The policies with this target, whether they count or not. */
    public List<CachePolicy> of(ResourceId target) {
        return Optional.<List<CachePolicy>>ofNullable(byTarget.get(target)).orElse(List.of());
    }

    public Optional<CacheRules> ofRule(Name route, Optional<String> rule) {
        var target = new ResourceId(GroupKind.HTTP_ROUTE, route);
        return rule.flatMap(name -> find(target, Optional.of(name))).or(() -> find(target, Optional.empty()));
    }

    public Optional<CacheRules> ofGateway(Name gateway) {
        return find(new ResourceId(GroupKind.GATEWAY, gateway), Optional.empty());
    }

    /** What a policy is for. */
    public static ResourceId target(CachePolicy policy) {
        return ResourceId.of(
                policy.target().type(),
                policy.meta().name().namespace(),
                policy.target().name());
    }

    private Optional<CacheRules> find(ResourceId target, Optional<String> section) {
        return Optional.ofNullable(winners.get(target))
                .flatMap(bySection -> Optional.ofNullable(bySection.get(section)))
                .map(CachePolicies::plan);
    }

    private CachePolicies sorted(Change<Name, CachePolicy> change) {
        PersistentMap<ResourceId, PersistentList<CachePolicy>> next = byTarget;
        if (change.before().isPresent()) {
            ResourceId target = target(change.before().get());
            next = with(
                    next, target, policies(next, target).without(change.before().get()));
        }
        if (change.after().isPresent()) {
            ResourceId target = target(change.after().get());
            next = with(next, target, policies(next, target).with(change.after().get()));
        }
        return new CachePolicies(next, winners, change.after().isPresent() ? verdicts : verdicts.without(change.key()));
    }

    private static PersistentList<CachePolicy> policies(
            PersistentMap<ResourceId, PersistentList<CachePolicy>> byTarget, ResourceId target) {
        return Optional.ofNullable(byTarget.get(target)).orElseGet(() -> PersistentList.of(OLDEST_FIRST, List.of()));
    }

    private static PersistentMap<ResourceId, PersistentList<CachePolicy>> with(
            PersistentMap<ResourceId, PersistentList<CachePolicy>> byTarget,
            ResourceId target,
            PersistentList<CachePolicy> found) {
        return found.isEmpty() ? byTarget.without(target) : byTarget.with(target, found);
    }

    private CachePolicies withVerdictOn(ResourceId target, Snapshot snapshot) {
        var counting = new HashMap<Optional<String>, CachePolicy>();
        PersistentMap<Name, Verdict> next = verdicts;
        for (CachePolicy policy : of(target)) {
            var verdict = new Verdict(policy, refusal(policy, snapshot, counting));
            Name name = policy.meta().name();
            next = verdict.equals(next.get(name)) ? next : next.with(name, verdict);
        }
        PersistentMap<ResourceId, Map<Optional<String>, CachePolicy>> nextWinners =
                counting.isEmpty() ? winners.without(target) : winners.with(target, Map.copyOf(counting));
        return new CachePolicies(byTarget, nextWinners, next);
    }

    private static Optional<Refusal> refusal(
            CachePolicy policy, Snapshot snapshot, Map<Optional<String>, CachePolicy> counting) {
        Optional<Refusal> refusal = CachePolicyCheck.fault(policy)
                .map(message -> new Refusal(Reason.INVALID, message))
                .or(() -> targetFault(policy.target(), target(policy).name(), snapshot));
        if (refusal.isPresent()) {
            return refusal;
        }
        CachePolicy holder = counting.putIfAbsent(policy.target().sectionName(), policy);
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

    private static CacheRules plan(CachePolicy policy) {
        return new CacheRules(
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
