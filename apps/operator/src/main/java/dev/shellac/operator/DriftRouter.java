package dev.shellac.operator;

import dev.shellac.kube.write.ObjectKey;
import dev.shellac.operator.controller.Inbox;
import dev.shellac.operator.pods.PodRegistry;
import dev.shellac.operator.write.ChildApplier;
import dev.shellac.operator.write.OwnedObjectCache;
import java.util.Optional;

/** Tells those who write our objects that somebody touched one: ConfigMaps are the loop's, all else is the children's. */
final class DriftRouter implements OwnedObjectCache.Handler {
    private final Inbox inbox;
    private volatile Optional<ChildApplier> children = Optional.empty();

    DriftRouter(Inbox inbox) {
        this.inbox = inbox;
    }

    void to(ChildApplier applier) {
        children = Optional.of(applier);
    }

    @Override
    public void touched(ObjectKey object, PodRegistry.Key gateway) {
        if (object.plural().equals("configmaps")) {
            inbox.drifted(object);
        } else {
            children.ifPresent(applier -> applier.touched(object, gateway));
        }
    }

    @Override
    public void gone(ObjectKey object, PodRegistry.Key gateway) {
        if (object.plural().equals("configmaps")) {
            inbox.drifted(object);
        } else {
            children.ifPresent(applier -> applier.gone(object, gateway));
        }
    }
}
