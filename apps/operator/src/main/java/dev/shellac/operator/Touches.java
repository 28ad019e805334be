package dev.shellac.operator;

import dev.shellac.kube.write.ObjectKey;
import dev.shellac.operator.fleet.Fleet;
import dev.shellac.operator.loop.Inbox;
import dev.shellac.operator.write.ChildrenDesk;
import dev.shellac.operator.write.Owned;
import java.util.Optional;

/** Tells those who write our objects that somebody touched one: ConfigMaps are the loop's, all else is the children's. */
final class Touches implements Owned.Listener {
    private final Inbox inbox;
    private volatile Optional<ChildrenDesk> children = Optional.empty();

    Touches(Inbox inbox) {
        this.inbox = inbox;
    }

    void to(ChildrenDesk desk) {
        children = Optional.of(desk);
    }

    @Override
    public void touched(ObjectKey object, Fleet.Key gateway) {
        if (object.plural().equals("configmaps")) {
            inbox.drifted(object);
        } else {
            children.ifPresent(desk -> desk.touched(object, gateway));
        }
    }

    @Override
    public void gone(ObjectKey object, Fleet.Key gateway) {
        if (object.plural().equals("configmaps")) {
            inbox.drifted(object);
        } else {
            children.ifPresent(desk -> desk.gone(object, gateway));
        }
    }
}
