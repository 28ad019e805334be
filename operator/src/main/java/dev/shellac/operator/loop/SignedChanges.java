package dev.shellac.operator.loop;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.shellac.kube.api.ApiFault;
import dev.shellac.kube.write.Cluster;
import dev.shellac.kube.write.Cluster.Stored;
import dev.shellac.kube.write.ObjectKey;
import dev.shellac.operator.fleet.Courier;
import dev.shellac.varnishconfig.delivery.Delivery;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The ConfigMap of changes of one Gateway, which says who writes it: pods take changes from nobody else. For the loop's thread. */
final class SignedChanges {
    private static final String WRITER = "writer";
    private static final String NUMBER = "number";

    private boolean ours;

    /** Whether it says that this process writes it. */
    boolean isOurs() {
        return ours;
    }

    /** Writes it, unless an operator before this one did and it would be no other today: a new name alone is no reason. */
    Stored write(Cluster cluster, ConfigMap wanted, Courier courier) throws IOException, InterruptedException {
        Delivery.Stamp stamp = courier.stamp();
        Optional<Stored> standing = ours ? Optional.empty() : standing(cluster, wanted, stamp.writer());
        if (standing.isPresent()) {
            return standing.get();
        }
        ConfigMap signed = new ConfigMapBuilder(wanted)
                .addToData(WRITER, stamp.writer())
                .addToData(NUMBER, String.valueOf(stamp.number()))
                .build();
        Stored stored = put(cluster, signed);
        ours = true;
        return stored;
    }

    // It comes often, and nobody has a reason to add something of their own to it.
    private static Stored put(Cluster cluster, ConfigMap object) throws IOException, InterruptedException {
        try {
            return cluster.replace(object);
        } catch (ApiFault e) {
            if (!e.isNotFound()) {
                throw e;
            }
            return cluster.apply(object);
        }
    }

    // Where this process wrote it before it began anew, pods may have been told more since.
    private static Optional<Stored> standing(Cluster cluster, ConfigMap wanted, String writer)
            throws IOException, InterruptedException {
        Optional<ObjectNode> found = cluster.read(ObjectKey.of(wanted).path());
        if (found.isEmpty() || found.get().path("data").path(WRITER).asText().equals(writer)) {
            return Optional.empty();
        }
        if (found.get().get("data") instanceof ObjectNode data) {
            data.remove(List.of(WRITER, NUMBER));
        }
        ConfigMap there = Serialization.unmarshal(found.get().toString(), ConfigMap.class);
        return isSame(there, wanted)
                ? Optional.of(new Stored(there.getMetadata().getResourceVersion(), 0))
                : Optional.empty();
    }

    private static boolean isSame(ConfigMap one, ConfigMap other) {
        ObjectMeta meta = one.getMetadata();
        return one.getData().equals(other.getData())
                && one.getBinaryData().equals(other.getBinaryData())
                && meta.getLabels().equals(other.getMetadata().getLabels())
                && meta.getAnnotations().equals(other.getMetadata().getAnnotations())
                && meta.getOwnerReferences().equals(other.getMetadata().getOwnerReferences());
    }
}
