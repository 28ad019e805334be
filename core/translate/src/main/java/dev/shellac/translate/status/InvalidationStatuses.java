package dev.shellac.translate.status;

import dev.shellac.model.Name;
import dev.shellac.model.Snapshot;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.model.policy.CacheInvalidation;
import dev.shellac.model.status.CacheInvalidationStatus;
import dev.shellac.model.status.ConditionSet;
import dev.shellac.translate.attach.Gateways;
import dev.shellac.translate.resolve.Reason;
import java.util.Optional;
import java.util.Set;

/** Status of VarnishCacheInvalidations: nobody carries them out yet, and each says so. One that another operator completed stays as it is. */
public final class InvalidationStatuses {
    private static final Set<String> OURS = Set.of(Conditions.ACCEPTED);
    private static final String COMPLETE = "Complete";
    private static final String FAILED = "Failed";

    private InvalidationStatuses() {}

    public static PersistentMap<Name, CacheInvalidationStatus> of(Snapshot snapshot, Gateways gateways) {
        PersistentMap<Name, CacheInvalidationStatus> statuses = PersistentMap.empty();
        for (CacheInvalidation invalidation : snapshot.all(CacheInvalidation.class)) {
            if (gateways.find(invalidation.gateway()).isPresent()
                    && invalidation.status().phase().filter(COMPLETE::equals).isEmpty()) {
                statuses = statuses.with(invalidation.meta().name(), of(invalidation));
            }
        }
        return statuses;
    }

    private static CacheInvalidationStatus of(CacheInvalidation invalidation) {
        var factory = new Conditions(invalidation.meta().generation());
        return new CacheInvalidationStatus(
                Optional.of(FAILED),
                ConditionSet.of(factory.no(
                                Conditions.ACCEPTED,
                                Reason.UNSUPPORTED_VALUE,
                                "invalidations are not supported yet: nothing was removed from the cache of Gateway "
                                        + invalidation.gateway()))
                        .keepingForeign(invalidation.status().conditions(), OURS));
    }
}
