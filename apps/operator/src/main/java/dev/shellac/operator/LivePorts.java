package dev.shellac.operator;

import dev.shellac.kube.watch.ClusterWatch;
import dev.shellac.kube.watch.Definitions;
import dev.shellac.kube.write.KubeWriter;
import dev.shellac.kube.write.ObjectKey;
import dev.shellac.model.Name;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Snapshot;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.operator.controller.Arrivals;
import dev.shellac.operator.controller.GatewayConfigWriter;
import dev.shellac.operator.controller.Inbox;
import dev.shellac.operator.controller.Ports;
import dev.shellac.operator.http.OperatorMetrics;
import dev.shellac.operator.http.OperatorMetrics.End;
import dev.shellac.operator.http.OperatorMetrics.Write;
import dev.shellac.operator.pods.ChangePusher;
import dev.shellac.operator.pods.Obstacles;
import dev.shellac.operator.pods.PodRegistry;
import dev.shellac.operator.write.ChildApplier;
import dev.shellac.operator.write.ClassStatuses;
import dev.shellac.operator.write.EventRecorder;
import dev.shellac.operator.write.GatewayClassFinalizer;
import dev.shellac.operator.write.LastUserVcls;
import dev.shellac.operator.write.LastValidRoutes;
import dev.shellac.operator.write.NotOwned;
import dev.shellac.operator.write.OwnedObjectCache;
import dev.shellac.operator.write.OwnershipGuard;
import dev.shellac.operator.write.StatusUpdate;
import dev.shellac.operator.write.StatusWriter;
import dev.shellac.operator.write.UserVcls;
import dev.shellac.operator.write.WorkQueue;
import dev.shellac.translate.Translator;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The world of the loop, as it is. */
record LivePorts(Edges edges, Tokens tokens, Writers writers, Inbox inbox, OperatorMetrics metrics)
        implements Ports, GatewayConfigWriter.Observer {
    private static final System.Logger LOG = System.getLogger(LivePorts.class.getName());

    /** What is watched, and where is written to. */
    record Edges(
            ClusterWatch clusterWatch,
            Stores stores,
            OwnedObjectCache ownedObjects,
            PodRegistry podRegistry,
            ChangePusher pusher,
            OwnershipGuard cluster) {}

    /** What is remembered of objects that are not what they were. */
    record Stores(LastValidRoutes routes, LastUserVcls vcls) {}

    /** Who writes. */
    record Writers(
            WorkQueue queue,
            ChildApplier children,
            StatusWriter statuses,
            GatewayClassFinalizer classes,
            EventRecorder events) {}

    @Override
    public KubeWriter kube() {
        return edges.cluster();
    }

    @Override
    public GatewayConfigWriter.Observer configuration() {
        return this;
    }

    @Override
    public ChangePusher pusher() {
        return edges.pusher();
    }

    @Override
    public void wrote(ObjectKey object) {
        metrics.wrote(Write.CONFIGURATION, End.WRITTEN);
        LOG.log(Level.DEBUG, "{0} is written", object);
    }

    @Override
    public void failed(ObjectKey object, IOException why) {
        metrics.wrote(Write.CONFIGURATION, End.FAILED);
        LOG.log(
                why instanceof NotOwned ? Level.DEBUG : Level.WARNING,
                "{0} could not be written: {1}",
                object,
                why.getMessage());
    }

    @Override
    public void pushed(PodRegistry.Key gateway) {
        metrics.wrote(Write.CHANGES, End.WRITTEN);
    }

    @Override
    public void pushFailed(PodRegistry.Key gateway) {
        metrics.wrote(Write.CHANGES, End.FAILED);
        inbox.pods(gateway);
    }

    @Override
    public void ended(PodRegistry.Key gateway) {
        inbox.pods(gateway);
    }

    @Override
    public GatewayConfigWriter.Writer writer() {
        return (gateway, task) -> writers.queue()
                .add(new WorkQueue.Key(gateway.namespace(), "configuration of " + gateway.label()), task);
    }

    @Override
    public Arrivals.Reader reader() {
        return new Arrivals.Reader() {
            @Override
            public void read(Set<ResourceId> wanted) {
                edges.clusterWatch().read(wanted);
            }

            @Override
            public boolean isRead(ResourceId wanted) {
                return edges.clusterWatch().isRead(wanted);
            }

            @Override
            public Optional<HttpRoute> find(Name name, String uid) {
                return edges.stores().routes().find(name, uid);
            }
        };
    }

    @Override
    public void gateways(Snapshot snapshot) {
        tokens.learn(snapshot).forEach(edges.podRegistry()::recheck);
        edges.stores().vcls().retain(snapshot);
    }

    @Override
    public UserVcls userVcls() {
        return edges.stores().vcls();
    }

    @Override
    public PodRegistry.GatewayPods pods(PodRegistry.Key gateway) {
        return edges.podRegistry().of(gateway);
    }

    @Override
    public Optional<String> version(ObjectKey object) {
        return edges.ownedObjects().find(object).map(OwnedObjectCache.Observed::version);
    }

    @Override
    public boolean isOwn(ObjectKey object, String uid) {
        return edges.ownedObjects()
                .find(object)
                .filter(observed -> observed.ownership().owners().stream()
                        .anyMatch(owner -> owner.uid().equals(uid)))
                .isPresent();
    }

    @Override
    public void children(
            PodRegistry.Key gateway, String owner, List<HasMetadata> children, Set<ObjectKey> configuration) {
        var all = new HashSet<>(configuration);
        children.forEach(child -> all.add(ObjectKey.of(child)));
        edges.cluster().retain(gateway, all);
        writers.children().want(gateway, new ChildApplier.Wanted(owner, children, configuration));
    }

    @Override
    public void noChildren(PodRegistry.Key gateway, String owner) {
        edges.cluster().retain(gateway, Set.of());
        writers.children().unwant(gateway, owner);
    }

    @Override
    public Obstacles obstacles(PodRegistry.Key gateway) {
        return edges.cluster().of(gateway);
    }

    @Override
    public void status(StatusUpdate update) {
        writers.statuses().submit(update);
    }

    @Override
    public void classes(Map<String, GatewayClassFinalizer.Use> classes) {
        writers.classes().guard(classes);
    }

    @Override
    public void record(EventRecorder.Entry entry) {
        writers.events().record(entry);
    }

    @Override
    public void defined(Definitions definitions) {
        LOG.log(Level.INFO, "{0}", ClassStatuses.words(definitions));
        edges.ownedObjects().follow(definitions);
        writers.children().resync();
    }

    @Override
    public void translated(Duration took, Translator.Work work) {
        metrics.translated(took, work.translatedRoutes());
    }

    @Override
    public void propagated(Duration took) {
        metrics.propagated(took);
    }
}
