package dev.shellac.operator;

import dev.shellac.kube.watch.ClusterWatch;
import dev.shellac.kube.watch.Definitions;
import dev.shellac.kube.write.KubeWriter;
import dev.shellac.kube.write.ObjectKey;
import dev.shellac.model.Name;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Snapshot;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.operator.fleet.Courier;
import dev.shellac.operator.fleet.Fleet;
import dev.shellac.operator.fleet.Obstacles;
import dev.shellac.operator.http.OperatorMetrics;
import dev.shellac.operator.http.OperatorMetrics.End;
import dev.shellac.operator.http.OperatorMetrics.Write;
import dev.shellac.operator.loop.Arrivals;
import dev.shellac.operator.loop.Desk;
import dev.shellac.operator.loop.Inbox;
import dev.shellac.operator.loop.Ports;
import dev.shellac.operator.write.ChildrenDesk;
import dev.shellac.operator.write.ClassGuard;
import dev.shellac.operator.write.ClassStatuses;
import dev.shellac.operator.write.EventDesk;
import dev.shellac.operator.write.LastUserVcls;
import dev.shellac.operator.write.LastValidRoutes;
import dev.shellac.operator.write.NotOwned;
import dev.shellac.operator.write.Owned;
import dev.shellac.operator.write.OwnershipGuard;
import dev.shellac.operator.write.StatusDesk;
import dev.shellac.operator.write.UserVcls;
import dev.shellac.operator.write.Wish;
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
record LivePorts(Edges edges, Tokens tokens, Desks desks, Inbox inbox, OperatorMetrics metrics)
        implements Ports, Desk.Listener {
    private static final System.Logger LOG = System.getLogger(LivePorts.class.getName());

    /** What is watched, and where is written to. */
    record Edges(
            ClusterWatch clusterWatch, Kept kept, Owned owned, Fleet fleet, Courier courier, OwnershipGuard cluster) {}

    /** What is remembered of objects that are not what they were. */
    record Kept(LastValidRoutes routes, LastUserVcls vcls) {}

    /** Who writes. */
    record Desks(WorkQueue queue, ChildrenDesk children, StatusDesk statuses, ClassGuard classes, EventDesk events) {}

    @Override
    public KubeWriter kube() {
        return edges.cluster();
    }

    @Override
    public Desk.Listener configuration() {
        return this;
    }

    @Override
    public Courier courier() {
        return edges.courier();
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
    public void told(Fleet.Key gateway) {
        metrics.wrote(Write.CHANGES, End.WRITTEN);
    }

    @Override
    public void lost(Fleet.Key gateway) {
        metrics.wrote(Write.CHANGES, End.FAILED);
        inbox.fleet(gateway);
    }

    @Override
    public void ended(Fleet.Key gateway) {
        inbox.fleet(gateway);
    }

    @Override
    public Desk.Writer writer() {
        return (gateway, task) ->
                desks.queue().add(new WorkQueue.Key(gateway.namespace(), "configuration of " + gateway.label()), task);
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
                return edges.kept().routes().find(name, uid);
            }
        };
    }

    @Override
    public void gateways(Snapshot snapshot) {
        tokens.learn(snapshot).forEach(edges.fleet()::recheck);
        edges.kept().vcls().retain(snapshot);
    }

    @Override
    public UserVcls userVcls() {
        return edges.kept().vcls();
    }

    @Override
    public Fleet.Parts fleet(Fleet.Key gateway) {
        return edges.fleet().of(gateway);
    }

    @Override
    public Optional<String> version(ObjectKey object) {
        return edges.owned().find(object).map(Owned.Standing::version);
    }

    @Override
    public boolean isOwn(ObjectKey object, String uid) {
        return edges.owned()
                .find(object)
                .filter(standing -> standing.ownership().owners().stream()
                        .anyMatch(owner -> owner.uid().equals(uid)))
                .isPresent();
    }

    @Override
    public void children(Fleet.Key gateway, String owner, List<HasMetadata> children, Set<ObjectKey> configuration) {
        var all = new HashSet<>(configuration);
        children.forEach(child -> all.add(ObjectKey.of(child)));
        edges.cluster().retain(gateway, all);
        desks.children().want(gateway, new ChildrenDesk.Wanted(owner, children, configuration));
    }

    @Override
    public void noChildren(Fleet.Key gateway, String owner) {
        edges.cluster().retain(gateway, Set.of());
        desks.children().unwant(gateway, owner);
    }

    @Override
    public Obstacles obstacles(Fleet.Key gateway) {
        return edges.cluster().of(gateway);
    }

    @Override
    public void status(Wish wish) {
        desks.statuses().wish(wish);
    }

    @Override
    public void classes(Map<String, ClassGuard.Use> classes) {
        desks.classes().guard(classes);
    }

    @Override
    public void tell(EventDesk.Note note) {
        desks.events().tell(note);
    }

    @Override
    public void defined(Definitions definitions) {
        LOG.log(Level.INFO, "{0}", ClassStatuses.words(definitions));
        edges.owned().follow(definitions);
        desks.children().again();
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
