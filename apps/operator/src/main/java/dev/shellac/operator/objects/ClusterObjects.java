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
import dev.shellac.operator.children.Blueprint;
import dev.shellac.operator.children.CertificateSecrets;
import dev.shellac.operator.children.Children;
import dev.shellac.operator.children.ConfigMaps;
import dev.shellac.operator.children.Configuration;
import dev.shellac.operator.children.Labels;
import dev.shellac.operator.children.Names;
import dev.shellac.operator.children.Platform;
import dev.shellac.operator.children.ServiceNamespaces;
import dev.shellac.operator.children.Sockets;
import dev.shellac.operator.fleet.CertificateSet;
import dev.shellac.operator.fleet.Fingerprint;
import dev.shellac.operator.loop.GatewayObjects;
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
public final class ClusterObjects implements GatewayObjects {
    /** What was made for one Gateway. */
    private static final class Kept {
        private final RoutingJson routing = new RoutingJson();
        private final ServiceNamespaces namespaces = new ServiceNamespaces();
        private Optional<Sockets> sockets = Optional.empty();
        private final GatewayVcl vcl = new GatewayVcl();
        private Optional<Made> made = Optional.empty();
        private Optional<Bundled> bundled = Optional.empty();
        private Optional<Laid> laid = Optional.empty();
    }

    /**
     * What is in the ConfigMap besides the routes.
     *
     * @param others more files, by name
     */
    private record Shell(ObjectMeta meta, Optional<String> vcl, Map<String, String> others) {}

    /** Configuration as it was last laid down as a whole. */
    private record Laid(Shell shell, RoutingFile routing, String hash, List<HasMetadata> objects) {
        private Laid {
            objects = List.copyOf(objects);
        }

        static Laid of(Gateway gateway, Shell shell, RoutingFile routing) {
            String text = routing.text();
            return new Laid(
                    shell,
                    routing,
                    ClusterObjects.hash(text),
                    List.copyOf(ConfigMaps.of(gateway, new Configuration(shell.vcl(), text, shell.others()))));
        }
    }

    /** Children, and all that they were made of. */
    private record Made(Blueprint blueprint, Beside beside, CertificateBundle tls, List<HasMetadata> objects) {
        private Made {
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

        boolean isOf(Brief brief) {
            return listeners.equals(brief.plan().listeners())
                    && brief.snapshot()
                            .changesSince(snapshot, SecretObject.class)
                            .isEmpty()
                    && brief.snapshot().changesSince(snapshot, ConfigMap.class).isEmpty();
        }

        static Bundled of(Brief brief) {
            CertificateBundle bundle = CertificateBundle.of(brief.plan(), brief.snapshot());
            var files = new TreeMap<String, String>();
            bundle.files().forEach((name, file) -> files.put(name, file.<String>reveal(Digest::of)));
            return new Bundled(
                    brief.plan().listeners(),
                    brief.snapshot(),
                    bundle,
                    new CertificateSet(CertificateParts.hash(bundle.files()), files));
        }
    }

    // Some hundred routes; a whole of that size is no work for anybody either.
    private static final int MOST_CHANGES = 64 * 1024;

    /** Beside main.vcl, while pods refuse that one. */
    private static final String GOOD_VCL = "main.vcl.good";

    private final Platform platform;
    private final Map<Name, Kept> kept = new HashMap<>();

    public ClusterObjects(Platform platform) {
        this.platform = platform;
    }

    @Override
    public Content content(Brief brief, LastVcl.Store last, Form form) {
        Kept own = own(brief);
        Optional<Sockets> before = own.sockets.or(() -> read(brief.gateway(), brief.snapshot()));
        Sockets sockets = assigned(brief, own);
        GatewayVcl.Current vcl = own.vcl.settle(brief.plan(), last, isRefused(brief));
        RoutingFile routing = own.routing.file(brief.plan(), sockets.served());
        Map<String, String> edge = edge(brief, sockets);
        var others = new TreeMap<>(edge);
        vcl.good().ifPresent(text -> others.put(GOOD_VCL, text));
        var shell = new Shell(ConfigMaps.metadata(brief.gateway()), vcl.text(), others);
        Optional<String> changes = form == Form.WHOLE
                ? Optional.empty()
                : own.laid
                        .filter(base -> base.shell().equals(shell))
                        .flatMap(base -> routing.changesSince(base.routing(), MOST_CHANGES));
        if (changes.isEmpty()) {
            own.laid = Optional.of(Laid.of(brief.gateway(), shell, routing));
        }
        Laid laid = own.laid.orElseThrow();
        String since = changes.orElse("");
        return new Content(
                laid.objects(),
                new Changes(ConfigMaps.changes(brief.gateway(), laid.hash(), since), laid.hash(), since),
                since.isEmpty() ? Form.WHOLE : Form.CHANGES,
                () -> new Fingerprint(
                        since.isEmpty() ? laid.hash() : hash(laid.hash() + "\n" + since),
                        vcl.hash(),
                        edge.values().stream()
                                .findFirst()
                                .map(ClusterObjects::hash)
                                .orElse("")),
                vcl.fault(),
                before.flatMap(sockets::grownSince));
    }

    private static boolean isRefused(Brief brief) {
        return brief.snapshot()
                .dataPlane(brief.gateway().meta().name())
                .flatMap(DataPlane::vclFault)
                .isPresent();
    }

    private static Map<String, String> edge(Brief brief, Sockets sockets) {
        return Configuration.edge(
                brief.plan(),
                sockets,
                parameters(brief).flatMap(found -> found.pod().memoryLimit()));
    }

    private Kept own(Brief brief) {
        return kept.computeIfAbsent(brief.gateway().meta().name(), name -> new Kept());
    }

    private static Sockets assigned(Brief brief, Kept own) {
        Sockets before =
                own.sockets.or(() -> read(brief.gateway(), brief.snapshot())).orElse(Sockets.NONE);
        Sockets now = before.assign(brief.plan());
        own.sockets = Optional.of(now);
        return now;
    }

    /** What an operator before this one assigned; another Service of that name says nothing. */
    private static Optional<Sockets> read(Gateway gateway, Snapshot snapshot) {
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
                .map(service -> Sockets.read(mapped(service), service.meta().annotations()));
    }

    private static List<Sockets.Mapped> mapped(Service service) {
        var mapped = new ArrayList<Sockets.Mapped>();
        for (Service.ServicePort port : service.ports()) {
            if (port.target() instanceof TargetPort.Numbered numbered) {
                mapped.add(new Sockets.Mapped(port.name().orElse(""), port.port(), numbered.port()));
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
        return Optional.ofNullable(kept.get(gateway)).flatMap(own -> own.vcl.userOf(hash));
    }

    private static String hash(String text) {
        return "sha256:" + Digest.of(text.getBytes(UTF_8));
    }

    @Override
    public List<HasMetadata> children(Brief brief, Optional<ObjectKey> formerSecret) {
        Kept own = own(brief);
        Sockets sockets = assigned(brief, own);
        var blueprint = new Blueprint(
                withoutStatus(brief.gateway()),
                parameters(brief),
                sockets,
                own.namespaces.of(brief.plan()),
                formerSecret.map(key -> key.name().name()),
                platform);
        var beside = new Beside(edge(brief, sockets).values().stream().findFirst(), own.vcl.hashes());
        CertificateBundle tls = bundled(brief, own).bundle();
        if (own.made
                .filter(last -> last.blueprint().equals(blueprint)
                        && last.beside().equals(beside)
                        && last.tls().equals(tls))
                .isEmpty()) {
            var objects = new ArrayList<HasMetadata>(
                    CertificateSecrets.of(brief.gateway(), tls, beside.haproxy(), beside.vcl()));
            objects.addAll(Children.of(blueprint));
            own.made = Optional.of(new Made(blueprint, beside, tls, objects));
        }
        return own.made.orElseThrow().objects();
    }

    private static Bundled bundled(Brief brief, Kept own) {
        // Of the newest snapshot, so that no other is kept for it.
        Bundled now = own.bundled
                .filter(last -> last.isOf(brief))
                .map(last -> new Bundled(brief.plan().listeners(), brief.snapshot(), last.bundle(), last.set()))
                .orElseGet(() -> Bundled.of(brief));
        own.bundled = Optional.of(now);
        return now;
    }

    @Override
    public CertificateSet certificates(Brief brief) {
        return bundled(brief, own(brief)).set();
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

    private static Optional<GatewayClassParameters> parameters(Brief brief) {
        Snapshot snapshot = brief.snapshot();
        return brief.gateway()
                .infrastructure()
                .parameters()
                .or(() -> snapshot.find(
                                GatewayClass.class, new Name("", brief.gateway().className()))
                        .flatMap(GatewayClass::parameters))
                .flatMap(ref -> snapshot.find(GatewayClassParameters.class, new Name("", ref.name())));
    }

    @Override
    public void forget(Name gateway) {
        kept.remove(gateway);
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
    public Set<String> fronts(Gateway gateway) {
        Names names = new Names(gateway.meta().name());
        var fronts = new TreeSet<String>();
        fronts.add(names.base());
        gateway.addresses().stream()
                .map(address -> address.value().orElse(""))
                .forEach(address -> fronts.add(names.addressService(address)));
        return fronts;
    }
}
