package dev.shellac.operator.loop;

import dev.shellac.kube.api.ApiFault;
import dev.shellac.kube.write.Cluster;
import dev.shellac.kube.write.Cluster.Stored;
import dev.shellac.varnishconfig.delivery.Delivery;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import java.io.IOException;

/**
 * The ConfigMap of changes of a Gateway, which says who writes it: pods take changes from nobody else. A new process signs even where all else stands as it
 * is wanted: pods may hold a change that an operator before this one pushed, and that was taken back before it was written. They drop it when they see another
 * writer.
 */
final class SignedChanges {
    private static final String WRITER = "writer";
    private static final String NUMBER = "number";

    private SignedChanges() {}

    static Stored write(Cluster cluster, ConfigMap wanted, Delivery.Stamp stamp)
            throws IOException, InterruptedException {
        return put(
                cluster,
                new ConfigMapBuilder(wanted)
                        .addToData(WRITER, stamp.writer())
                        .addToData(NUMBER, String.valueOf(stamp.number()))
                        .build());
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
}
