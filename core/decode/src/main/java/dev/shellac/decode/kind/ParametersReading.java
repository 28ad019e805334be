package dev.shellac.decode.kind;

import dev.shellac.decode.schema.ValidObject;
import dev.shellac.decode.tree.Node;
import dev.shellac.decode.tree.Position;
import dev.shellac.model.Metadata;
import dev.shellac.model.Name;
import dev.shellac.model.Network;
import dev.shellac.model.policy.ConnectionLimits;
import dev.shellac.model.policy.ConnectionLimits.Timeouts;
import dev.shellac.model.policy.GatewayClassParameters;
import dev.shellac.model.policy.GatewayClassParameters.Autoscaling;
import dev.shellac.model.policy.GatewayClassParameters.Clients;
import dev.shellac.model.policy.GatewayClassParameters.Logging;
import dev.shellac.model.policy.GatewayClassParameters.Monitor;
import dev.shellac.model.policy.GatewayClassParameters.NetworkAccess;
import dev.shellac.model.policy.GatewayClassParameters.PodSettings;
import dev.shellac.model.policy.GatewayClassParameters.Scale;
import dev.shellac.model.policy.GatewayClassParameters.ServiceSettings;
import dev.shellac.model.policy.GatewayClassParameters.Storage;
import dev.shellac.model.policy.GatewayClassParameters.Use;
import dev.shellac.model.policy.GatewayClassParameters.UserVcl;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** GatewayClassParameters that were found to have their shape. */
final class ParametersReading {
    private static final ValidObject NOTHING = new ValidObject(new Node.Mapping(new Position("", 1), Map.of()));

    private ParametersReading() {}

    static GatewayClassParameters nothing(Metadata meta) {
        return read(meta, NOTHING);
    }

    static GatewayClassParameters parameters(Metadata meta, ValidObject object) {
        return read(meta, object.optionalObject("spec").orElse(NOTHING));
    }

    private static GatewayClassParameters read(Metadata meta, ValidObject spec) {
        return new GatewayClassParameters(
                meta,
                spec.optionalText("image"),
                spec.optionalObject("userVCLConfigMapRef")
                        .map(ref -> new UserVcl(new Name(ref.text("namespace"), ref.text("name")), ref.text("key"))),
                spec.texts("varnishdExtraArgs"),
                spec.optionalObject("storage").map(ParametersReading::storage),
                spec.optionalObject("logging")
                        .map(logging -> new Logging(
                                logging.text("mode"),
                                logging.optionalText("format"),
                                logging.texts("extraArgs"),
                                logging.optionalText("image"))),
                clients(spec),
                new Scale(
                        spec.optionalWhole("replicas"),
                        spec.optionalObject("autoscaling")
                                .map(scale -> new Autoscaling(
                                        scale.whole("minReplicas"),
                                        scale.whole("maxReplicas"),
                                        scale.whole("targetCPUUtilizationPercentage")))),
                spec.optionalObject("service").map(ParametersReading::service).orElse(ServiceSettings.NONE),
                pod(spec),
                spec.optionalObject("networkPolicy")
                        .map(ParametersReading::network)
                        .orElse(NetworkAccess.USUAL),
                spec.optionalObject("serviceMonitor")
                        .map(monitor -> new Monitor(monitor.optionalText("interval"), monitor.table("labels"))));
    }

    private static NetworkAccess network(ValidObject object) {
        return new NetworkAccess(
                object.optionalFlag("enabled").map(on -> on ? Use.ON : Use.OFF), object.texts("metricsNamespaces"));
    }

    private static Storage storage(ValidObject object) {
        return new Storage(
                Names.constant(Storage.Kind.class, object.text("type")),
                object.node("size").flatMap(Quantities::bytes));
    }

    private static Clients clients(ValidObject spec) {
        return new Clients(
                use(spec, "http2", Clients.USUAL.http2()),
                networks(spec, "trustedProxies"),
                use(spec, "proxyProtocol", Clients.USUAL.proxyProtocol()),
                networks(spec, "proxyProtocolFrom"),
                use(spec, "mergeSlashes", Clients.USUAL.mergeSlashes()),
                connections(spec));
    }

    private static ConnectionLimits connections(ValidObject spec) {
        ValidObject limits = spec.optionalObject("connections").orElse(NOTHING);
        ConnectionLimits usual = ConnectionLimits.USUAL;
        return new ConnectionLimits(
                limits.optionalWhole("max"),
                limits.optionalWhole("perClient"),
                seesClients(spec) ? Use.ON : Use.OFF,
                limits.optionalWhole("threads").orElse(usual.threads()),
                new Timeouts(
                        seconds(limits, "handshakeSeconds", usual.timeouts().handshake()),
                        seconds(limits, "requestHeadSeconds", usual.timeouts().requestHead()),
                        seconds(limits, "stallSeconds", usual.timeouts().stall()),
                        limits.optionalWhole("keepAliveSeconds").map(Duration::ofSeconds)));
    }

    private static Duration seconds(ValidObject object, String field, Duration otherwise) {
        return object.optionalWhole(field).map(Duration::ofSeconds).orElse(otherwise);
    }

    /** A connection's address is that of the client: a named load balancer says it, or nobody stands between. */
    static boolean seesClients(ValidObject spec) {
        boolean proxies = spec.optionalFlag("proxyProtocol").orElse(false);
        boolean isLocal = spec.optionalObject("service")
                .flatMap(service -> service.optionalText("externalTrafficPolicy"))
                .filter("Local"::equals)
                .isPresent();
        return proxies ? spec.has("proxyProtocolFrom") : isLocal;
    }

    private static List<Network> networks(ValidObject spec, String field) {
        return spec.texts(field).stream()
                .map(Network::parse)
                .flatMap(Optional::stream)
                .toList();
    }

    private static Use use(ValidObject spec, String field, Use otherwise) {
        return spec.optionalFlag(field).map(on -> on ? Use.ON : Use.OFF).orElse(otherwise);
    }

    private static ServiceSettings service(ValidObject object) {
        return new ServiceSettings(
                object.optionalText("type"),
                object.table("annotations"),
                object.table("labels"),
                object.optionalText("loadBalancerClass"),
                object.texts("loadBalancerSourceRanges"),
                object.optionalText("externalTrafficPolicy"));
    }

    private static PodSettings pod(ValidObject spec) {
        var parts = new LinkedHashMap<String, String>();
        ParametersKind.POD_PARTS.forEach(part -> spec.json(part).ifPresent(json -> parts.put(part, json)));
        Optional<Long> memory = spec.optionalObject("resources")
                .flatMap(resources -> resources.optionalObject("limits"))
                .flatMap(limits -> limits.node("memory"))
                .flatMap(Quantities::bytes);
        return new PodSettings(
                spec.table("podLabels"),
                spec.table("podAnnotations"),
                spec.table("nodeSelector"),
                spec.optionalText("priorityClassName"),
                memory,
                parts);
    }
}
