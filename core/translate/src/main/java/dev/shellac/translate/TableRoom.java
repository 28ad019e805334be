package dev.shellac.translate;

import dev.shellac.model.Name;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.translate.plan.TableSizes;
import java.util.Optional;

/**
 * By Gateway, what its routes take of its table, and the namespaces that take more than their share.
 *
 * @param shares only of Gateways that have such namespaces
 */
record TableRoom(
        PersistentMap<Name, TableSizes> sizes, PersistentMap<Name, PersistentMap<String, TableSizes.Share>> shares) {
    static final TableRoom EMPTY = new TableRoom(PersistentMap.empty(), PersistentMap.empty());

    TableSizes sizesOf(Name gateway) {
        return Optional.ofNullable(sizes.get(gateway)).orElse(TableSizes.NONE);
    }

    PersistentMap<String, TableSizes.Share> sharesOf(Name gateway) {
        return Optional.ofNullable(shares.get(gateway)).orElseGet(PersistentMap::empty);
    }
}
