package dev.shellac.translate;

import dev.shellac.model.Name;
import dev.shellac.model.shared.SharedMap;
import dev.shellac.translate.plan.TableSizes;
import java.util.Optional;

/**
 * By Gateway, what its routes take of its table, and the namespaces that take more than their share.
 *
 * @param shares only of Gateways that have such namespaces
 */
record TableRoom(SharedMap<Name, TableSizes> sizes, SharedMap<Name, SharedMap<String, TableSizes.Share>> shares) {
    static final TableRoom EMPTY = new TableRoom(SharedMap.empty(), SharedMap.empty());

    TableSizes sizesOf(Name gateway) {
        return Optional.ofNullable(sizes.get(gateway)).orElse(TableSizes.NONE);
    }

    SharedMap<String, TableSizes.Share> sharesOf(Name gateway) {
        return Optional.ofNullable(shares.get(gateway)).orElseGet(SharedMap::empty);
    }
}
