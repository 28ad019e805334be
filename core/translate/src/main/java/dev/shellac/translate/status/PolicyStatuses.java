package dev.shellac.translate.status;

import dev.shellac.model.Name;
import dev.shellac.model.ResourceId;
import dev.shellac.model.policy.BackendTlsPolicy;
import dev.shellac.model.policy.CachePolicy;
import dev.shellac.model.route.ParentRef;
import dev.shellac.model.status.Condition;
import dev.shellac.model.status.ConditionSet;
import dev.shellac.model.status.PolicyStatus;
import dev.shellac.translate.resolve.BackendTls;
import dev.shellac.translate.resolve.CachePolicies;
import dev.shellac.translate.resolve.Reason;
import dev.shellac.translate.resolve.Refusal;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Status of policies: an entry for each Gateway that they take effect through. */
public record PolicyStatuses(String controllerName) {
    // The API's own limit on the list.
    private static final int MOST_ANCESTORS = 16;

    public Optional<PolicyStatus> of(BackendTls.Verdict verdict, Collection<ResourceId> gateways) {
        BackendTlsPolicy policy = verdict.policy();
        var factory = new Conditions(policy.meta().generation());
        var conditions = ConditionSet.of(
                factory.unless(
                        Conditions.ACCEPTED,
                        verdict.conflict().or(verdict::refusal),
                        Reason.ACCEPTED,
                        "the policy is in effect"),
                factory.resolvedRefs(verdict.refs()));
        return status(policy.status(), gateways.stream().map(ParentRef::to).toList(), conditions);
    }

    /** A cache policy always has a word: where no Gateway is behind its target, the target itself stands for one. */
    public Optional<PolicyStatus> of(CachePolicies.Verdict verdict, Collection<ResourceId> gateways) {
        CachePolicy policy = verdict.policy();
        var factory = new Conditions(policy.meta().generation());
        Optional<Refusal> refusal = verdict.refusal()
                .or(() -> gateways.isEmpty()
                        ? Optional.of(new Refusal(
                                Reason.TARGET_NOT_FOUND,
                                target(policy) + " does not belong to a Gateway of this controller"))
                        : Optional.empty());
        Condition accepted = factory.unless(Conditions.ACCEPTED, refusal, Reason.ACCEPTED, "the policy is in effect");
        List<ParentRef> ancestors = gateways.isEmpty()
                ? List.of(new ParentRef(
                        policy.target().type(),
                        Optional.of(policy.meta().name().namespace()),
                        policy.target().name(),
                        policy.target().sectionName(),
                        Optional.empty()))
                : gateways.stream().map(ParentRef::to).toList();
        return status(policy.status(), ancestors, ConditionSet.of(accepted));
    }

    private static ResourceId target(CachePolicy policy) {
        return new ResourceId(
                policy.target().type(),
                new Name(policy.meta().name().namespace(), policy.target().name()));
    }

    private Optional<PolicyStatus> status(PolicyStatus before, List<ParentRef> ancestors, ConditionSet conditions) {
        List<PolicyStatus.Ancestor> foreign = before.ancestors().stream()
                .filter(ancestor -> !ancestor.controllerName().equals(controllerName))
                .toList();
        if (ancestors.isEmpty() && foreign.size() == before.ancestors().size()) {
            return Optional.empty();
        }
        Stream<PolicyStatus.Ancestor> ours = ancestors.stream()
                .limit(Math.max(0, MOST_ANCESTORS - foreign.size()))
                .map(ref -> new PolicyStatus.Ancestor(ref, controllerName, conditions));
        return Optional.of(
                new PolicyStatus(Stream.concat(foreign.stream(), ours).toList()));
    }
}
