package dev.shellac.operator.objects;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.kube.write.ObjectKey;
import dev.shellac.model.DataPlane;
import dev.shellac.model.Name;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.ConfigMap;
import dev.shellac.model.core.SecretObject;
import dev.shellac.model.core.Service;
import dev.shellac.model.core.TargetPort;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.gateway.GatewayClass;
import dev.shellac.model.policy.GatewayClassParameters;
import dev.shellac.model.status.GatewayStatus;
import dev.shellac.operator.children.CertificateSecrets;
import dev.shellac.operator.children.Children;
import dev.shellac.operator.children.ConfigMaps;
import dev.shellac.operator.children.Configuration;
import dev.shellac.operator.children.DeploymentInput;
import dev.shellac.operator.children.Labels;
import dev.shellac.operator.children.ListenerPorts;
import dev.shellac.operator.children.Names;
import dev.shellac.operator.children.Platform;
import dev.shellac.operator.children.ServiceNamespaces;
import dev.shellac.operator.controller.GatewayRenderer;
import dev.shellac.operator.pods.CertificateSet;
import dev.shellac.operator.pods.ConfigRevision;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.plan.ListenerPlan;
import dev.shellac.translate.resolve.LastVcl;
import dev.shellac.translate.resolve.UserVcl;
import dev.shellac.varnishconfig.edge.CertificateBundle;
import dev.shellac.varnishconfig.edge.CertificateParts;
import dev.shellac.varnishconfig.routing.RoutingFile;
import dev.shellac.varnishconfig.routing.RoutingJson;
import dev.shellac.varnishconfig.wire.Digest;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Gateways as objects. */
public final class KubernetesRenderer implements GatewayRenderer {
    /** What was made for one Gateway. */
    private static final class Cache {
        private final RoutingJson routing = new RoutingJson();
        private final ServiceNamespaces namespaces = new ServiceNamespaces();
        private Optional<ListenerPorts> ports = Optional.empty();
        private final GatewayVcl vcl = new GatewayVcl();
        private Optional<CachedChildren> children = Optional.empty();
        private Optional<Bundled> bundled = Optional.empty();
        private Optional<Baseline> baseline = Optional.empty();
    }

    /**
     * What is in the ConfigMap besides the routes.
     *
     * @param others more files, by name
     */
    private record ConfigParts(ObjectMeta meta, Optional<String> vcl, Map<String, String> others) {}

    /** Configuration as it was last laid down as a whole. */
    private record Baseline(ConfigParts parts, RoutingFile routing, String hash, List<HasMetadata> objects) {
        private Baseline {
            objects = List.copyOf(objects);
        }

        static Baseline of(Gateway gateway, ConfigParts parts, RoutingFile routing) {
            String text = routing.text();
            return new Baseline(
                    parts,
                    routing,
                    KubernetesRenderer.hash(text),
                    List.copyOf(ConfigMaps.of(gateway, new Configuration(parts.vcl(), text, parts.others()))));
        }
    }

    /** Children, and all that they were made of. */
    private record CachedChildren(
            DeploymentInput deployment, Beside beside, CertificateBundle tls, List<HasMetadata> objects) {
        private CachedChildren {
            objects = List.copyOf(objects);
        }
    }

    /** What may run beside keys: haproxy.cfg, and the hashes of main.vcl and of the last good one. */
    private record Beside(Optional<String> haproxy, String vcl) {}

    /** Certificates, and all that they were taken from. */
    private record Bundled(
            List<ListenerPlan> listeners, Snapshot snapshot, CertificateBundle bundle, CertificateSet set) {
        private Bundled {
            listeners = List.copyOf(listeners);
        }

        boolean isOf(Input input) {
            return listeners.equals(input.plan().listeners())
                    && input.snapshot()
                            .changesSince(snapshot, SecretObject.class)
                            .isEmpty()
                    && input.snapshot().changesSince(snapshot, ConfigMap.class).isEmpty();
        }

        static Bundled of(Input input) {
            CertificateBundle bundle = CertificateBundle.of(input.plan(), input.snapshot());
            var files = new TreeMap<String, String>();
            bundle.files().forEach((name, file) -> files.put(name, file.<String>reveal(Digest::of)));
            return new Bundled(
                    input.plan().listeners(),
                    input.snapshot(),
                    bundle,
                    new CertificateSet(CertificateParts.hash(bundle.files()), files));
        }
    }

    // Some hundred routes; a whole of that size is no work for anybody either.
    private static final int MOST_CHANGES = 64 * 1024;

    /** Beside main.vcl, while pods refuse that one. */
    private static final String GOOD_VCL = "main.vcl.good";

    private final Platform platform;
    private final Map<Name, Cache> caches = new HashMap<>();

    public KubernetesRenderer(Platform platform) {
        this.platform = platform;
    }

    @Override
    public Rendered render(Input input, LastVcl.Store last, Form form) {
        Cache own = own(input);
        Optional<ListenerPorts> before = own.ports.or(() -> read(input.gateway(), input.snapshot()));
        ListenerPorts ports = assigned(input, own);
        GatewayVcl.Current vcl = own.vcl.settle(input.plan(), last, isRefused(input));
        RoutingFile routing = own.routing.file(input.plan(), ports.served());
        Map<String, String> edge = edge(input, ports);
        var others = new TreeMap<>(edge);
        vcl.good().ifPresent(text -> others.put(GOOD_VCL, text));
        var parts = new ConfigParts(ConfigMaps.metadata(input.gateway()), vcl.text(), others);
        Optional<String> changes = form == Form.WHOLE
                ? Optional.empty()
                : own.baseline
                        .filter(base -> base.parts().equals(parts))
                        .flatMap(base -> routing.changesSince(base.routing(), MOST_CHANGES));
        if (changes.isEmpty()) {
            own.baseline = Optional.of(Baseline.of(input.gateway(), parts, routing));
        }
        Baseline baseline = own.baseline.orElseThrow();
        String since = changes.orElse("");
        return new Rendered(
                baseline.objects(),
                new Changes(ConfigMaps.changes(input.gateway(), baseline.hash(), since), baseline.hash(), since),
                since.isEmpty() ? Form.WHOLE : Form.CHANGES,
                () -> new ConfigRevision(
                        since.isEmpty() ? baseline.hash() : hash(baseline.hash() + "\n" + since),
                        vcl.hash(),
                        edge.values().stream()
                                .findFirst()
                                .map(KubernetesRenderer::hash)
                                .orElse("")),
                vcl.fault(),
                before.flatMap(ports::grownSince));
    }

    private static boolean isRefused(Input input) {
        return input.snapshot()
                .dataPlane(input.gateway().meta().name())
                .flatMap(DataPlane::vclFault)
                .isPresent();
    }

    private static Map<String, String> edge(Input input, ListenerPorts ports) {
        return Configuration.edge(
                input.plan(),
                ports,
                parameters(input).flatMap(found -> found.pod().memoryLimit()));
    }

    private Cache own(Input input) {
        return caches.computeIfAbsent(input.gateway().meta().name(), name -> new Cache());
    }

    private static ListenerPorts assigned(Input input, Cache own) {
        ListenerPorts before =
                own.ports.or(() -> read(input.gateway(), input.snapshot())).orElse(ListenerPorts.NONE);
        ListenerPorts now = before.assign(input.plan());
        own.ports = Optional.of(now);
        return now;
    }

    /** What an operator before this one assigned; another Service of that name says nothing. */
    private static Optional<ListenerPorts> read(Gateway gateway, Snapshot snapshot) {
        Names names = new Names(gateway.meta().name());
        return snapshot.find(Service.class, new Name(gateway.meta().name().namespace(), names.base()))
                .filter(service -> service.meta()
                                .labels()
                                .getOrDefault(Labels.GATEWAY_NAME, "")
                                .equals(names.labelValue())
                        && service.meta()
                                .labels()
                                .getOrDefault(Labels.MANAGED_BY, "")
                                .equals(Labels.OPERATOR))
                .map(service ->
                        ListenerPorts.read(mapped(service), service.meta().annotations()));
    }

    private static List<ListenerPorts.Mapped> mapped(Service service) {
        var mapped = new ArrayList<ListenerPorts.Mapped>();
        for (Service.ServicePort port : service.ports()) {
            if (port.target() instanceof TargetPort.Numbered numbered) {
                mapped.add(new ListenerPorts.Mapped(port.name().orElse(""), port.port(), numbered.port()));
            }
        }
        return mapped;
    }

    @Override
    public io.fabric8.kubernetes.api.model.ConfigMap noChanges(Gateway gateway) {
        return ConfigMaps.changes(gateway, "", "");
    }

    @Override
    public Optional<UserVcl> userVcl(Name gateway, String hash) {
        return Optional.ofNullable(caches.get(gateway)).flatMap(own -> own.vcl.userOf(hash));
    }

    private static String hash(String text) {
        return "sha256:" + Digest.of(text.getBytes(UTF_8));
    }

    @Override
    public List<HasMetadata> children(Input input, Optional<ObjectKey> formerSecret) {
        Cache own = own(input);
        ListenerPorts ports = assigned(input, own);
        var deployment = new DeploymentInput(
                withoutStatus(input.gateway()),
                parameters(input),
                ports,
                own.namespaces.of(input.plan()),
                formerSecret.map(key -> key.name().name()),
                platform);
        var beside = new Beside(edge(input, ports).values().stream().findFirst(), own.vcl.hashes());
        CertificateBundle tls = bundled(input, own).bundle();
        if (own.children
                .filter(last -> last.deployment().equals(deployment)
                        && last.beside().equals(beside)
                        && last.tls().equals(tls))
                .isEmpty()) {
            var objects = new ArrayList<HasMetadata>(
                    CertificateSecrets.of(input.gateway(), tls, beside.haproxy(), beside.vcl()));
            objects.addAll(Children.of(deployment));
            own.children = Optional.of(new CachedChildren(deployment, beside, tls, objects));
        }
        return own.children.orElseThrow().objects();
    }

    private static Bundled bundled(Input input, Cache own) {
        // Of the newest snapshot, so that no other is kept for it.
        Bundled now = own.bundled
                .filter(last -> last.isOf(input))
                .map(last -> new Bundled(input.plan().listeners(), input.snapshot(), last.bundle(), last.set()))
                .orElseGet(() -> Bundled.of(input));
        own.bundled = Optional.of(now);
        return now;
    }

    @Override
    public CertificateSet certificates(Input input) {
        return bundled(input, own(input)).set();
    }

    @Override
    public ObjectKey formerSecret(Name gateway) {
        return new ObjectKey("v1", "secrets", new Name(gateway.namespace(), new Names(gateway).formerSecret()));
    }

    // Nothing is made of a status, and ours comes back with each change.
    private static Gateway withoutStatus(Gateway gateway) {
        return new Gateway(
                gateway.meta(),
                gateway.className(),
                gateway.listeners(),
                gateway.addresses(),
                gateway.allowedListeners(),
                gateway.infrastructure(),
                gateway.frontendTls(),
                gateway.clientCertificate(),
                gateway.defaultScope(),
                GatewayStatus.NONE);
    }

    private static Optional<GatewayClassParameters> parameters(Input input) {
        Snapshot snapshot = input.snapshot();
        return input.gateway()
                .infrastructure()
                .parameters()
                .or(() -> snapshot.find(
                                GatewayClass.class, new Name("", input.gateway().className()))
                        .flatMap(GatewayClass::parameters))
                .flatMap(ref -> snapshot.find(GatewayClassParameters.class, new Name("", ref.name())));
    }

    @Override
    public void forget(Name gateway) {
        caches.remove(gateway);
    }

    @Override
    public String label(Name gateway) {
        return new Names(gateway).labelValue();
    }

    @Override
    public Map<String, Name> certificateFiles(GatewayPlan plan) {
        var certificates = new HashMap<String, Name>();
        plan.listeners().stream()
                .flatMap(listener -> listener.certificates().stream())
                .forEach(secret -> certificates.put(CertificateBundle.file(secret), secret.name()));
        return certificates;
    }

    @Override
    public Set<String> services(Gateway gateway) {
        Names names = new Names(gateway.meta().name());
        var fronts = new TreeSet<String>();
        fronts.add(names.base());
        gateway.addresses().stream()
                .map(address -> address.value().orElse(""))
                .forEach(address -> fronts.add(names.addressService(address)));
        return fronts;
    }
}
