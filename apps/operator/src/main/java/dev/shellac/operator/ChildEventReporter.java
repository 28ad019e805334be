package dev.shellac.operator;

import dev.shellac.kube.api.ApiFault;
import dev.shellac.kube.write.ObjectKey;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.ResourceId;
import dev.shellac.operator.children.Labels;
import dev.shellac.operator.http.OperatorMetrics;
import dev.shellac.operator.http.OperatorMetrics.End;
import dev.shellac.operator.http.OperatorMetrics.Write;
import dev.shellac.operator.write.ChildApplier;
import dev.shellac.operator.write.EventRecorder;
import dev.shellac.operator.write.EventRecorder.Entry;
import dev.shellac.operator.write.NotOwned;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Map;

/** What is said of children that were written, and to the Gateway of those that cannot be. */
record ChildEventReporter(OperatorMetrics metrics, EventRecorder events) implements ChildApplier.Observer {
    private static final String GATEWAY_API = "gateway.networking.k8s.io/v1";
    private static final System.Logger LOG = System.getLogger(ChildApplier.class.getName());

    @Override
    public void wrote(ObjectKey object) {
        metrics.wrote(Write.CHILD, End.WRITTEN);
        LOG.log(Level.INFO, "{0} is applied", object);
    }

    @Override
    public void failed(ObjectKey object, IOException why) {
        metrics.wrote(Write.CHILD, End.FAILED);
        LOG.log(
                why instanceof NotOwned ? Level.DEBUG : Level.WARNING,
                "{0} could not be written: {1}",
                object,
                why.getMessage());
    }

    @Override
    public void refused(HasMetadata child, ApiFault why) {
        record(child, "ChildRefused", "the API server refuses the " + child.getKind() + ": " + why.getMessage());
    }

    @Override
    public void unknown(HasMetadata child) {
        record(
                child,
                "KindNotInstalled",
                "a " + child.getKind()
                        + " is asked for, and this cluster has no such kind; it is made when there is one");
    }

    // In the Gateway's namespace its status says so, and an Event with it.
    @Override
    public void conflicted(HasMetadata child, NotOwned why) {
        if (!child.getMetadata().getOwnerReferences().isEmpty()) {
            return;
        }
        Map<String, String> annotations = child.getMetadata().getAnnotations();
        String[] gateway = annotations.getOrDefault(Labels.GATEWAY, "").split("/", 2);
        if (gateway.length == 2) {
            events.record(new Entry(
                    new ResourceId(GroupKind.GATEWAY, new Name(gateway[0], gateway[1])),
                    GATEWAY_API,
                    annotations.getOrDefault(Labels.GATEWAY_UID, ""),
                    "Warning",
                    "Conflicted",
                    why.getMessage() + "; until then its pods do not see the endpoints of Services there"));
        }
    }

    // What is in other namespaces has no owner; the log has it.
    private void record(HasMetadata child, String reason, String words) {
        for (OwnerReference owner : child.getMetadata().getOwnerReferences()) {
            events.record(new Entry(
                    new ResourceId(
                            GroupKind.GATEWAY, new Name(child.getMetadata().getNamespace(), owner.getName())),
                    owner.getApiVersion(),
                    owner.getUid(),
                    "Warning",
                    reason,
                    words));
        }
    }
}
