package dev.shellac.operator.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.decode.Decoder;
import dev.shellac.decode.Source;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.Resource;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Snapshot;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.route.HttpRoute;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What enters the snapshot when, and what is read for it. */
final class ArrivalsTest {
    private static final Instant START = Instant.EPOCH;
    private static final String OURS = "varnish-software.com/gateway";

    private final Read reader = new Read();
    private final Arrivals arrivals = new Arrivals(reader, OURS);
    private Snapshot snapshot = Snapshot.empty();
    private Set<Name> policies = Set.of();

    private static final class Read implements Arrivals.Reader {
        private Set<ResourceId> wanted = Set.of();
        private final Set<ResourceId> read = new HashSet<>();

        @Override
        public void read(Set<ResourceId> now) {
            wanted = now;
            read.retainAll(now);
        }

        @Override
        public boolean isRead(ResourceId id) {
            return read.contains(id);
        }

        @Override
        public Optional<HttpRoute> find(Name name, String uid) {
            return Optional.empty();
        }
    }

    private void arrive(Instant now, String... yaml) {
        var batch = new LinkedHashMap<Inbox.Key, Optional<Resource>>();
        for (String one : yaml) {
            Decoder.decode(List.of(Source.of("x.yaml", one))).objects().forEach(object -> {
                Resource resource = object.resource();
                batch.put(new Inbox.Key(resource.getClass(), resource.meta().name()), Optional.of(resource));
            });
        }
        snapshot = arrivals.into(snapshot, batch, policies, now);
    }

    private static String gatewayClass(String name, String controller) {
        return "{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: " + name
                + "}, spec: {controllerName: " + controller + "}}";
    }

    private static String gateway(String name, String className, String secret) {
        return "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: " + name
                + ", namespace: shop}, spec: {gatewayClassName: " + className
                + ", listeners: [{name: web, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: " + secret
                + "}]}}]}}";
    }

    private static String policy(String authority) {
        return "{apiVersion: gateway.networking.k8s.io/v1, kind: BackendTLSPolicy, metadata: {name: p, namespace: shop},"
                + " spec: {targetRefs: [{group: '', kind: Service, name: s}], validation: {hostname: s.example.com,"
                + " caCertificateRefs: [{group: '', kind: ConfigMap, name: " + authority + "}]}}}";
    }

    private static ResourceId secret(String name) {
        return ResourceId.of(GroupKind.SECRET, "shop", name);
    }

    private List<String> gateways() {
        return snapshot.all(Gateway.class).stream()
                .map(gateway -> gateway.meta().name().name())
                .toList();
    }

    @Test
    void aGatewayWaitsForItsCertificateAndNobodyWaitsForIt() {
        arrive(START, gatewayClass("ours", OURS));
        arrive(START, gateway("waits", "ours", "unread"), gateway("goes", "ours", "known"));
        assertThat(gateways()).isEmpty();
        reader.read.add(secret("known"));
        arrive(START);
        assertThat(gateways()).containsExactly("goes");
        assertThat(arrivals.isEmpty()).isFalse();
        assertThat(arrivals.due()).contains(START.plus(Arrivals.LONGEST));

        reader.read.add(secret("unread"));
        arrive(START);
        assertThat(gateways()).containsExactly("goes", "waits");
        assertThat(arrivals.due()).isEmpty();
    }

    @Test
    void theFormBeforeStaysMeanwhile() {
        arrive(START, gatewayClass("ours", OURS), gateway("g", "ours", "one"));
        reader.read.add(secret("one"));
        arrive(START);
        Gateway before = snapshot.all(Gateway.class).getFirst();
        arrive(START, gateway("g", "ours", "two"));
        assertThat(snapshot.all(Gateway.class)).containsExactly(before);
        reader.read.add(secret("two"));
        arrive(START);
        assertThat(snapshot.all(Gateway.class)).doesNotContain(before).hasSize(1);
        assertThat(reader.wanted).containsExactly(secret("two"));
    }

    @Test
    void nobodyWaitsForEver() {
        arrive(START, gatewayClass("ours", OURS), gateway("g", "ours", "one"));
        assertThat(gateways()).isEmpty();
        arrive(START.plus(Arrivals.LONGEST));
        assertThat(gateways()).containsExactly("g");
    }

    @Test
    void whatIsGoneWaitsForNothing() {
        arrive(START, gatewayClass("ours", OURS), gateway("g", "ours", "one"));
        snapshot = arrivals.into(
                snapshot,
                Map.of(new Inbox.Key(Gateway.class, new Name("shop", "g")), Optional.empty()),
                policies,
                START);
        assertThat(arrivals.isEmpty()).isTrue();
        assertThat(reader.wanted).isEmpty();
    }

    @Test
    void whatGatewaysOfOthersNameIsNotRead() {
        arrive(START, gatewayClass("theirs", "example.com/other"), gateway("g", "theirs", "one"));
        arrive(START, gateway("nobodys", "nowhere", "two"));
        assertThat(gateways()).containsExactly("g", "nobodys");
        assertThat(reader.wanted).isEmpty();
    }

    /** Anybody may name our Gateway as the parent of a ListenerSet. */
    @Test
    void whatListenerSetsNameIsReadOnceTheGatewayAdmitsThem() {
        arrive(START, gatewayClass("ours", OURS), gateway("g", "ours", "one"), listenerSet("guest", "two"));
        reader.read.add(secret("one"));
        assertThat(reader.wanted).containsExactly(secret("one"));
        arrive(
                START,
                gateway("g", "ours", "one")
                        .replace(
                                "{gatewayClassName", "{allowedListeners: {namespaces: {from: All}}, gatewayClassName"));
        assertThat(reader.wanted)
                .containsExactlyInAnyOrder(secret("one"), ResourceId.of(GroupKind.SECRET, "guest", "two"));
    }

    private static String listenerSet(String namespace, String secret) {
        return "{apiVersion: gateway.networking.k8s.io/v1, kind: ListenerSet, metadata: {name: s, namespace: "
                + namespace + "}, spec: {parentRef: {name: g, namespace: shop}, listeners: [{name: web, port: 443,"
                + " protocol: HTTPS, hostname: guest.example.com, tls: {certificateRefs: [{name: " + secret + "}]}}]}}";
    }

    @Test
    void authoritiesOfPoliciesAreReadOnlyWhereARouteOfOursIsSubjectToThem() {
        arrive(START, policy("ca"));
        assertThat(reader.wanted).isEmpty();
        policies = Set.of(new Name("shop", "p"));
        arrive(START);
        assertThat(reader.wanted).containsExactly(ResourceId.of(GroupKind.CONFIG_MAP, "shop", "ca"));
        arrive(START, policy("another"));
        assertThat(reader.wanted).containsExactly(ResourceId.of(GroupKind.CONFIG_MAP, "shop", "another"));
    }
}
