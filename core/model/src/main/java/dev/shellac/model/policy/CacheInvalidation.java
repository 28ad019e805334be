package dev.shellac.model.policy;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Hostname;
import dev.shellac.model.Metadata;
import dev.shellac.model.Name;
import dev.shellac.model.Resource;
import dev.shellac.model.status.CacheInvalidationStatus;
import java.time.Duration;
import java.util.List;

/**
 * A VarnishCacheInvalidation.
 *
 * @param paths exact paths of a purge, patterns of a ban
 * @param retention how long it is kept after it is done
 */
public record CacheInvalidation(
        Metadata meta,
        Name gateway,
        Kind kind,
        Hostname hostname,
        List<String> paths,
        Duration retention,
        CacheInvalidationStatus status)
        implements Resource {
    /** How objects are found. */
    public enum Kind {
        PURGE,
        BAN
    }

    public CacheInvalidation {
        paths = List.copyOf(paths);
    }

    @Override
    public GroupKind type() {
        return GroupKind.CACHE_INVALIDATION;
    }
}
