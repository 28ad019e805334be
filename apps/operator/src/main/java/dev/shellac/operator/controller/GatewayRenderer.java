package dev.shellac.operator.controller;

import dev.shellac.kube.write.ObjectKey;
import dev.shellac.model.Name;
import dev.shellac.model.Snapshot;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.operator.pods.CertificateSet;
import dev.shellac.operator.pods.ConfigRevision;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.resolve.LastVcl;
import dev.shellac.translate.resolve.UserVcl;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** How Gateways look as objects of the cluster. No input but what is handed in; what is remembered only saves work. For one thread. */
public interface GatewayRenderer {
    /** What a Gateway's objects are made from. */
    record Input(Gateway gateway, GatewayPlan plan, Snapshot snapshot) {}

    /**
     * What its pods read.
     *
     * @param objects in the order in which they must be written
     * @param changes what changed since these objects were made; written after them
     * @param revision made when it is asked for: a hash over a megabyte is for after it was written
     * @param vclFault why the VCL is not the one that was asked for
     * @param restart why pods that are there are restarted for it
     */
    record Rendered(
            List<HasMetadata> objects,
            Changes changes,
            Form form,
            Supplier<ConfigRevision> revision,
            Optional<String> vclFault,
            Optional<String> restart) {
        public Rendered {
            objects = List.copyOf(objects);
        }

        /** Whether the same is written for both. */
        boolean isSame(Rendered other) {
            return objects.equals(other.objects) && changes.equals(other.changes);
        }
    }

    /**
     * What changed since the objects were made.
     *
     * @param object as it is written, but for who writes it
     * @param base the hash of the routing.json that they are of
     * @param json empty where there are none
     */
    record Changes(ConfigMap object, String base, String json) {}

    /** How configuration is laid down. */
    enum Form {
        /** The objects as they were, and what changed since, where that is little. */
        CHANGES,
        /** All of it in the objects, and no changes. */
        WHOLE
    }

    /**
     * The configuration.
     *
     * @param last the users' VCL that was last in effect
     */
    Rendered render(Input input, LastVcl.Store last, Form form);

    /** The changes of a Gateway, without any: for who owns them. */
    ConfigMap noChanges(Gateway gateway);

    /** The user's VCL that is part of what was last made for a Gateway, if the whole has this hash. */
    Optional<UserVcl> userVcl(Name gateway, String hash);

    /**
     * All other objects, in the order in which they are best written.
     *
     * @param formerSecret the Secret of certificates that pods of an earlier release still read
     */
    List<HasMetadata> children(Input input, Optional<ObjectKey> formerSecret);

    /** The certificates that pods are to have. */
    CertificateSet certificates(Input input);

    /** The one Secret that pods of an earlier release had all certificates from. */
    ObjectKey formerSecret(Name gateway);

    /** A Gateway is no more. */
    void forget(Name gateway);

    /** The value of the label that names a Gateway on its objects. */
    String label(Name gateway);

    /** The Secrets that the pods have certificates from, by the file that each is in. */
    Map<String, Name> certificateFiles(GatewayPlan plan);

    /** The names of the Services that a Gateway is reached by. */
    Set<String> services(Gateway gateway);
}
