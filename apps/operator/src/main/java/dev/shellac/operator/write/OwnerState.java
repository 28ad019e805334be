package dev.shellac.operator.write;

import dev.shellac.kube.write.KubeWriter.Stored;
import dev.shellac.kube.write.ObjectKey;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** All children of a Gateway. Each namespace is reconciled on its own: where nothing gets through in one, the others do not wait. */
final class OwnerState {
    final Map<String, Place> places = new TreeMap<>();
    String uid = "";
    /** Whether the ServiceAccount is the Gateway's own: nobody else is to be bound to a Role. */
    volatile boolean hasIdentity;

    record Applied(HasMetadata object, Stored stored) {}

    /** What a Gateway has in one namespace: its own, or one whose Services its routes name. */
    static final class Place {
        final Map<ObjectKey, Applied> applied = new HashMap<>();
        final Set<ObjectKey> lost = new HashSet<>();
        ChildApplier.Wanted wanted;

        Place(ChildApplier.Wanted wanted) {
            this.wanted = wanted;
        }
    }
}
