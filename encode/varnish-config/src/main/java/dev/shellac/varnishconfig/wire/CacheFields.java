package dev.shellac.varnishconfig.wire;

import dev.shellac.model.policy.CachePolicy.CacheKey;
import dev.shellac.translate.plan.BackendShare;
import dev.shellac.translate.plan.FilterPlan;
import dev.shellac.translate.plan.RoutePlan.Action;
import dev.shellac.translate.resolve.Backend;
import dev.shellac.translate.resolve.CacheRules;
import java.util.List;
import java.util.Optional;

/** How responses are cached. */
public final class CacheFields {
    static final int MOST_SECONDS = 31_536_000;

    private CacheFields() {}

    public static void write(JsonWriter json, CacheRules cache, Action.Serve serve) {
        json.name("cache_policy").open('{');
        policy(json, cache);
        json.field("scope", scope(cache, serve)).close('}');
    }

    private static void policy(JsonWriter json, CacheRules cache) {
        cache.defaultTtlSeconds().ifPresent(ttl -> json.field("default_ttl_seconds", ttl));
        cache.forcedTtlSeconds().ifPresent(ttl -> json.field("forced_ttl_seconds", ttl));
        json.field("grace_seconds", cache.graceSeconds()).field("keep_seconds", cache.keepSeconds());
        CacheKey key = cache.cacheKey();
        if (!key.equals(CacheKey.PLAIN)) {
            json.name("cache_key").open('{').field("headers", key.headers());
            json.field("query_params_include", key.includeParams());
            json.field("query_params_exclude", key.excludeParams()).close('}');
        }
        if (!cache.bypass().isEmpty()) {
            json.name("bypass_headers").open('[');
            cache.bypass().forEach(header -> {
                json.open('{').field("name", header.name());
                header.valueRegex().ifPresent(regex -> json.field("value_regex", regex));
                json.close('}');
            });
            json.close(']');
        }
    }

    /**
     * Rules share objects if they cache alike and send alike: the same edits, to the same Services. A weight says how many
     * requests, not which answer, so a canary that grows keeps the cache warm; one that gets nothing does not count.
     */
    private static String scope(CacheRules cache, Action.Serve serve) {
        JsonWriter json = JsonWriter.compact().open('{');
        policy(json, cache);
        sending(json, serve.filters());
        json.name("to").open('[');
        List<BackendShare> shares =
                serve.backends().stream().filter(share -> share.weight() > 0).toList();
        for (BackendShare share : shares) {
            json.open('{');
            if (share.backend() instanceof Backend.Serving serving) {
                json.field("pool", PoolName.of(serving));
            }
            sending(json, share.filters());
            json.close('}');
        }
        json.close(']').close('}');
        return Digest.of(json.bytes()).substring(0, 32);
    }

    private static void sending(JsonWriter json, FilterPlan filters) {
        var edits = new FilterPlan(
                filters.request(),
                filters.response(),
                filters.rewrite(),
                Optional.empty(),
                Optional.empty(),
                List.of());
        FilterFields.write(json, "filters", edits, (nowhere, nobody) -> {});
    }
}
