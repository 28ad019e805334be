package dev.shellac.operator.controller;

import dev.shellac.kube.watch.Definitions;
import dev.shellac.kube.write.KubeWriter;
import dev.shellac.kube.write.ObjectKey;
import dev.shellac.model.Snapshot;
import dev.shellac.operator.pods.ChangePusher;
import dev.shellac.operator.pods.Obstacles;
import dev.shellac.operator.pods.PodRegistry;
import dev.shellac.operator.write.EventRecorder;
import dev.shellac.operator.write.GatewayClassFinalizer;
import dev.shellac.operator.write.StatusUpdate;
import dev.shellac.operator.write.UserVcls;
import dev.shellac.translate.Translator;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Everything that the loop has of the world. */
public interface Ports {
    /** Where configuration is written to. */
    KubeWriter kube();

    GatewayConfigWriter.Observer configuration();

    /** Who writes it, so that the loop need not wait. */
    GatewayConfigWriter.Writer writer();

    /** The way to pods that does not lead through the cluster. */
    ChangePusher pusher();

    /** Has ConfigMaps and Secrets read; never waits for them. */
    Arrivals.Reader reader();

    /** The Gateways that there are, of which some may be new. */
    void gateways(Snapshot snapshot);

    UserVcls userVcls();

    PodRegistry.GatewayPods pods(PodRegistry.Key gateway);

    /** The version of an object of ours that was last seen. */
    Optional<String> version(ObjectKey object);

    /** Whether an object is there that belongs to the Gateway with this uid. */
    boolean isOwn(ObjectKey object, String uid);

    /**
     * What a Gateway shall have.
     *
     * @param owner uid of the Gateway
     * @param configuration objects of its own that the loop writes itself
     */
    void children(PodRegistry.Key gateway, String owner, List<HasMetadata> children, Set<ObjectKey> configuration);

    /**
     * A Gateway is gone or somebody else's.
     *
     * @param owner its uid; empty where it is gone
     */
    void noChildren(PodRegistry.Key gateway, String owner);

    /** Objects that have the names of a Gateway's children and are not its own. */
    Obstacles obstacles(PodRegistry.Key gateway);

    void status(StatusUpdate update);

    void classes(Map<String, GatewayClassFinalizer.Use> classes);

    /** Kinds came or went, or are from another release. */
    void defined(Definitions definitions);

    /** Something that a person would want to know. */
    void record(EventRecorder.Entry entry);

    void translated(Duration took, Translator.Work work);

    /** From the news of a change to a pod that serves it. */
    void propagated(Duration took);
}
