package dev.shellac.operator.write;

import static dev.shellac.testkit.patience.Eventually.eventually;

import dev.shellac.kube.api.ApiFault;
import dev.shellac.kube.api.ApiServer;
import dev.shellac.kube.api.Requests;
import dev.shellac.kube.write.HttpKubeWriter;
import dev.shellac.kube.write.ObjectKey;
import dev.shellac.operator.pods.PodRegistry;
import dev.shellac.testkit.kube.FakeApiServer;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ChildApplierTest implements OwnedObjectCache.Handler, ChildApplier.Observer {
    private static final PodRegistry.Key GATEWAY = new PodRegistry.Key("shop", "edge");
    private static final String ROLE =
            "/apis/rbac.authorization.k8s.io/v1/namespaces/tenant/roles/edge-chaperone-3788f37ae5";

    private final CountDownLatch seen = new CountDownLatch(1);
    private final FakeApiServer server = FakeApiServer.start();
    private final KubernetesClient client = new KubernetesClientBuilder()
            .withConfig(new ConfigBuilder(Config.empty())
                    .withMasterUrl(server.url())
                    .withRequestRetryBackoffLimit(0)
                    .build())
            .build();
    private final ApiServer api = ApiServer.of(client);
    private final OwnedObjectCache ownedObjects = OwnedObjectCache.start(new LateRoles(), this);
    private final WorkQueue queue = WorkQueue.start("test", WorkQueue.Limits.of(4, 4));
    private final ChildApplier applier = ChildApplier.start(
            new ChildApplier.Edges(
                    new OwnershipGuard(
                            HttpKubeWriter.of(api), ownedObjects::find, (gateway, uid) -> false, gateway -> {}),
                    ownedObjects,
                    queue),
            this);

    ChildApplierTest() throws Exception {}

    @AfterEach
    void end() {
        seen.countDown();
        applier.close();
        queue.close();
        ownedObjects.close();
        client.close();
        server.close();
    }

    /** Roles that were written are seen late. */
    private final class LateRoles implements Requests {
        @Override
        public InputStream open(String path, Form form) throws IOException, InterruptedException {
            if (path.contains("/roles?") && path.contains("watch=1")) {
                seen.await();
            }
            return api.open(path, form);
        }

        @Override
        public byte[] get(String path, Form form) throws IOException, InterruptedException {
            return api.get(path, form);
        }

        @Override
        public byte[] send(String method, String path, Sent sent, Form form) throws IOException, InterruptedException {
            return api.send(method, path, sent, form);
        }
    }

    @Test
    void aRoleThatWasJustWrittenDoesNotOutliveItsGateway() throws Exception {
        ownedObjects.awaitSynced(Duration.ofSeconds(10));
        HasMetadata account = new ServiceAccountBuilder()
                .withMetadata(meta("edge-chaperone", "shop"))
                .build();
        String name = ROLE.substring(ROLE.lastIndexOf('/') + 1);
        HasMetadata role = new RoleBuilder().withMetadata(meta(name, "tenant")).build();
        applier.want(GATEWAY, new ChildApplier.Wanted("uid", List.of(account, role), Set.of()));
        eventually("the Role is there", () -> server.find(ROLE).isPresent());
        applier.unwant(GATEWAY, "");
        Thread.sleep(500);
        seen.countDown();
        eventually("the Role is gone", () -> server.find(ROLE).isEmpty());
    }

    private static ObjectMeta meta(String name, String namespace) {
        var meta = new ObjectMetaBuilder()
                .withName(name)
                .withNamespace(namespace)
                .addToLabels("app.kubernetes.io/managed-by", "varnish-gateway-operator")
                .addToLabels("gateway.networking.k8s.io/gateway-name", "edge")
                .addToLabels("gateway.networking.k8s.io/gateway-namespace", "shop");
        return namespace.equals("shop")
                ? meta.addNewOwnerReference()
                        .withApiVersion("gateway.networking.k8s.io/v1")
                        .withKind("Gateway")
                        .withName("edge")
                        .withUid("uid")
                        .endOwnerReference()
                        .build()
                : meta.addToAnnotations("varnish.io/gateway", "shop/edge").build();
    }

    @Override
    public void touched(ObjectKey object, PodRegistry.Key gateway) {
        applier.touched(object, gateway);
    }

    @Override
    public void gone(ObjectKey object, PodRegistry.Key gateway) {
        applier.gone(object, gateway);
    }

    @Override
    public void wrote(ObjectKey object) {}

    @Override
    public void failed(ObjectKey object, IOException why) {}

    @Override
    public void refused(HasMetadata child, ApiFault why) {}

    @Override
    public void conflicted(HasMetadata child, NotOwned why) {}

    @Override
    public void unknown(HasMetadata child) {}
}
