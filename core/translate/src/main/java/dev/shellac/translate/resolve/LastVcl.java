package dev.shellac.translate.resolve;

import dev.shellac.model.Metadata;
import dev.shellac.model.Name;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.ConfigMap;
import dev.shellac.model.policy.GatewayClassParameters;
import java.util.Map;
import java.util.Optional;

/** What stands in for a user's VCL whose ConfigMap is gone, or has lost its key: the text that was last in effect stays, and the status says so. */
public final class LastVcl {
    /** Who remembers. */
    @FunctionalInterface
    public interface Store {
        /** The text that was last in effect of this key of a ConfigMap. */
        Optional<String> find(Name configMap, String key);
    }

    private LastVcl() {}

    /** The snapshot with the texts that are missing in it and were in effect once. */
    public static Snapshot standIn(Snapshot snapshot, Store store) {
        Snapshot next = snapshot;
        for (GatewayClassParameters parameters : snapshot.all(GatewayClassParameters.class)) {
            Optional<GatewayClassParameters.UserVcl> wanted = parameters.userVcl();
            if (wanted.isPresent()) {
                next = standIn(next, wanted.get(), store);
            }
        }
        return next;
    }

    private static Snapshot standIn(Snapshot snapshot, GatewayClassParameters.UserVcl vcl, Store store) {
        Optional<ConfigMap> there = snapshot.find(ConfigMap.class, vcl.configMap());
        if (there.filter(map -> map.texts().containsKey(vcl.key())).isPresent()) {
            return snapshot;
        }
        Name name = vcl.configMap();
        ConfigMap map = there.orElseGet(() -> new ConfigMap(Metadata.named(name.namespace(), name.name()), Map.of()));
        String why = there.filter(found -> found.meta().decodeError().isEmpty()).isPresent()
                ? "does not have it any more"
                : "does not exist any more";
        return store.find(name, vcl.key())
                .map(text -> snapshot.with(map.keeping(vcl.key(), text, why)))
                .orElse(snapshot);
    }
}
