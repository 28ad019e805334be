package dev.shellac.decode.kind;

import static dev.shellac.decode.schema.Schema.anything;
import static dev.shellac.decode.schema.Schema.defaulted;
import static dev.shellac.decode.schema.Schema.flag;
import static dev.shellac.decode.schema.Schema.list;
import static dev.shellac.decode.schema.Schema.object;
import static dev.shellac.decode.schema.Schema.optional;
import static dev.shellac.decode.schema.Schema.required;
import static dev.shellac.decode.schema.Schema.table;
import static dev.shellac.decode.schema.Schema.text;
import static dev.shellac.decode.schema.Schema.whole;

import dev.shellac.decode.kind.KindDecoder.Scope;
import dev.shellac.decode.schema.Schema;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Network;
import java.util.List;
import java.util.Set;

/** The shape of GatewayClassParameters. {@link ParametersReading} makes the record of it. */
final class ParametersKind {
    /** Pieces of Kubernetes' own types, handed on as they are. */
    static final List<String> POD_PARTS = List.of(
            "affinity",
            "extraEnv",
            "extraInitContainers",
            "extraVolumeMounts",
            "extraVolumes",
            "podDisruptionBudget",
            "resources",
            "tolerations",
            "topologySpreadConstraints");

    // What the gateway's own process decides: its command line, its secret, its folder, its VCL.
    private static final List<String> OWN_FLAGS = List.of("-M", "-S", "-F", "-f", "-n");
    private static final List<String> OWN_VOLUMES = List.of("varnish-run", "varnish-storage", "varnish-keys", "tmp");
    private static final int MOST_ITEMS = 64;
    private static final int MOST_TEXT = 4096;

    private static final Schema.Text ARGUMENT = text().most(MOST_TEXT)
            .rule(
                    "must not begin with -M, -S, -F, -f or -n: these are the gateway's own",
                    "!(self.startsWith('-M') || self.startsWith('-S') || self.startsWith('-F')"
                            + " || self.startsWith('-f') || self.startsWith('-n'))",
                    argument -> OWN_FLAGS.stream().noneMatch(argument::startsWith));
    private static final Schema.Text VOLUME = text().length(1, 63)
            .rule(
                    "is the name of a volume of the gateway's own",
                    "!(self in ['varnish-run', 'varnish-storage', 'varnish-keys', 'tmp'])",
                    name -> !OWN_VOLUMES.contains(name));
    private static final Schema.Text CIDR = text().most(64)
            .matching(Names.pattern("^[0-9a-fA-F.:]+/(0|[1-9][0-9]{0,2})$", "a network such as 10.0.0.0/8 or fd00::/8"))
            .format(
                    "cidr",
                    "is not a network such as 10.0.0.0/8 or fd00::/8",
                    text -> Network.parse(text).isPresent());

    private static final Schema.Fields SERVICE = object(
                    optional("type", text().oneOf("ClusterIP", "NodePort", "LoadBalancer"))
                            .means("Type of the Service; LoadBalancer where it is left out."),
                    optional("annotations", table(text()))
                            .means("Annotations of the Service; spec.infrastructure of a Gateway goes before them."),
                    optional("labels", table(text()))
                            .means("Labels of the Service; spec.infrastructure of a Gateway goes before them."),
                    optional("loadBalancerClass", text()).means("Who is to provide the load balancer."),
                    optional("loadBalancerSourceRanges", list(text()))
                            .means("Networks from which the load balancer may be used."),
                    optional("externalTrafficPolicy", text().oneOf("Cluster", "Local"))
                            .means("Local keeps the address of the client, Cluster spreads over all nodes."))
            .rule(
                    "loadBalancerClass needs type LoadBalancer",
                    "!has(self.loadBalancerClass) || !has(self.type) || self.type == 'LoadBalancer'",
                    service ->
                            !service.has("loadBalancerClass") || VarnishKinds.isType(service, Set.of("LoadBalancer")))
            .rule(
                    "loadBalancerSourceRanges needs type LoadBalancer",
                    "!has(self.loadBalancerSourceRanges) || !has(self.type) || self.type == 'LoadBalancer'",
                    service -> !service.has("loadBalancerSourceRanges")
                            || VarnishKinds.isType(service, Set.of("LoadBalancer")))
            .rule(
                    "externalTrafficPolicy needs type LoadBalancer or NodePort",
                    "!has(self.externalTrafficPolicy) || !has(self.type) || self.type != 'ClusterIP'",
                    service -> !service.has("externalTrafficPolicy")
                            || VarnishKinds.isType(service, Set.of("LoadBalancer", "NodePort")));

    private static final Schema.Fields STORAGE = object(
                    defaulted("type", text().oneOf("malloc", "file"), "malloc")
                            .means("malloc keeps objects in memory; file keeps them in a file that is mapped into it."),
                    optional("size", Quantities.SCHEMA)
                            .means("How much; where it is left out, what the memory limit has room for."))
            .rule(
                    "type file needs a size",
                    "self.type != 'file' || has(self.size)",
                    storage -> !storage.is("type", "file") || storage.has("size"));

    private static final Schema.Fields AUTOSCALING = object(
                    defaulted("minReplicas", whole().between(1, 10_000), 1).means("Never fewer pods than this."),
                    required("maxReplicas", whole().between(1, 10_000)).means("Never more pods than this."),
                    defaulted("targetCPUUtilizationPercentage", whole().between(1, 1000), 80)
                            .means("How much of the CPU that they ask for the pods are to use."))
            .rule(
                    "minReplicas must not be more than maxReplicas",
                    "self.minReplicas <= self.maxReplicas",
                    scale -> scale.whole("minReplicas") <= scale.whole("maxReplicas"));

    private static final Schema.Fields LOGGING = object(
            required("mode", text().oneOf("varnishlog", "varnishlog-json", "varnishncsa"))
                    .means("The program that writes the log."),
            optional("format", text()).means("The format of varnishncsa."),
            optional("extraArgs", list(text())).means("More arguments of the program."),
            optional("image", text()).means("Image of the sidecar; that of the gateway where it is left out."));

    private static final Schema.Fields DISRUPTION = object(
                    optional("minAvailable", percentage()).means("Pods that must stay, as a number or per cent."),
                    optional("maxUnavailable", percentage()).means("Pods that may go, as a number or per cent."))
            .rule(
                    "exactly one of minAvailable and maxUnavailable must be set",
                    "has(self.minAvailable) != has(self.maxUnavailable)",
                    budget -> budget.has("minAvailable") != budget.has("maxUnavailable"));

    private static final Schema.Fields MONITOR = object(
            optional("interval", text().matching(Names.pattern("^[0-9]{1,6}(ms|s|m|h)$", "a time such as 30s")))
                    .means("How often metrics are read."),
            optional("labels", table(text())).means("Labels by which Prometheus finds the ServiceMonitor."));

    private static final Schema.Fields NETWORK_POLICY = object(
            optional("enabled", flag()).means("Whether there is one; what the operator was told where it is left out."),
            optional("metricsNamespaces", list(text().length(1, 63)).most(MOST_ITEMS))
                    .means(
                            "Namespaces whose pods may read metrics, on port 8081; any namespace where it is left out."));

    private static final Schema.Fields CONNECTIONS = object(
            optional("max", whole().between(64, 1_000_000))
                    .means("HTTPS connections of a pod at a time; where it is left out, what the memory limit has room"
                            + " for. Each takes 52 KiB."),
            optional("perClient", whole().between(1, 1_000_000))
                    .means("HTTPS connections of a pod at a time from one client address (of IPv6, from one /64); a"
                            + " quarter of all where it is left out. Trusted proxies are exempt. It needs"
                            + " proxyProtocolFrom, or externalTrafficPolicy: Local without proxyProtocol."),
            defaulted("threads", whole().between(1, 64), 2).means("Threads of HAProxy. Each takes 1 MiB."),
            defaulted("handshakeSeconds", whole().between(1, 60), 3)
                    .means(
                            "The longest TLS handshake, from the client's first bytes or from one second after it connected."),
            defaulted("requestHeadSeconds", whole().between(1, 300), 10).means("The longest head of a request."),
            defaulted("stallSeconds", whole().between(1, 3600), 30)
                    .means("How long a client may leave unread what waits for it, or not send what it announced; and"
                            + " the time for the first 15,000 bytes of a request's body."),
            optional("keepAliveSeconds", whole().between(1, 3600))
                    .means("How long a connection is kept between two requests. Where it is left out, a second for"
                            + " every 40 connections of a pod, at least 10 and at most 60."));

    private static final Schema.Fields USER_VCL = object(
            required("name", text()).means("Name of the ConfigMap."),
            required("namespace", text()).means("Its namespace."),
            defaulted("key", text(), "user.vcl").means("The key that holds the VCL."));

    private static final Schema.Fields SPEC = object(
                    optional("image", text()).means("Image of the gateway container, and of the log sidecar."),
                    optional("userVCLConfigMapRef", USER_VCL).means("VCL of your own, behind the gateway's."),
                    optional("varnishdExtraArgs", list(ARGUMENT).most(MOST_ITEMS))
                            .means("More arguments of varnishd, one word each. A -s replaces the storage."),
                    optional("storage", STORAGE).means("Where cached objects are kept."),
                    optional("logging", LOGGING).means("A sidecar that writes a log of requests."),
                    optional("resources", resources())
                            .means("Of the gateway container. The memory limit is kept: it sizes the storage."),
                    optional("replicas", whole().between(0, 10_000))
                            .means("Number of pods; where it is left out, nobody changes what you scale by hand."),
                    optional("autoscaling", AUTOSCALING).means("A HorizontalPodAutoscaler in place of replicas."),
                    optional("podDisruptionBudget", DISRUPTION).means("How many pods may go at a time."),
                    optional("service", SERVICE).means("The Service in front of the pods."),
                    defaulted("http2", flag(), true).means("Whether HTTPS listeners offer HTTP/2."),
                    optional("trustedProxies", list(CIDR).most(MOST_ITEMS))
                            .means("Networks of proxies whose X-Forwarded-*, Forwarded, X-Real-IP, X-Original-URL,"
                                    + " X-Original-URI and X-Rewrite-URL headers are believed."),
                    defaulted("proxyProtocol", flag(), false)
                            .means("Whether the load balancer sends the PROXY protocol, on every port."),
                    optional("proxyProtocolFrom", list(CIDR).most(MOST_ITEMS))
                            .means("Networks of load balancers from which the PROXY protocol is accepted;"
                                    + " connections from elsewhere are refused."
                                    + " Where it is left out, whoever connects is believed."),
                    defaulted("mergeSlashes", flag(), true)
                            .means("Whether several slashes in a row of a path count as one."),
                    optional("connections", CONNECTIONS).means("Bounds on connections of HTTPS."),
                    optional("podLabels", table(text())).means("More labels of the pods."),
                    optional("podAnnotations", table(text())).means("More annotations of the pods."),
                    optional("nodeSelector", table(text())).means("Labels that a node must have."),
                    optional("tolerations", tolerations()).means("Taints that the pods tolerate."),
                    optional("affinity", object().keepingOthers()).means("Where the pods like to be."),
                    optional("topologySpreadConstraints", spread()).means("How the pods are spread."),
                    optional("priorityClassName", text()).means("Priority class of the pods."),
                    optional("extraEnv", environment()).means("More environment of the gateway container."),
                    optional("extraVolumes", named(VOLUME)).means("More volumes of the pods."),
                    optional("extraVolumeMounts", mounts()).means("Where the gateway container mounts them."),
                    optional("extraInitContainers", named(text().length(1, 63)))
                            .means("Containers that run before the gateway."),
                    optional("networkPolicy", NETWORK_POLICY)
                            .means("The NetworkPolicy of the pods: traffic from everywhere, port 8081 from the operator"
                                    + " and for metrics."),
                    optional("serviceMonitor", MONITOR)
                            .means(
                                    "A ServiceMonitor for each Gateway; {} is enough. Needs its definition in the cluster."))
            .rule(
                    "replicas and autoscaling exclude each other",
                    "!has(self.replicas) || !has(self.autoscaling)",
                    spec -> !spec.has("replicas") || !spec.has("autoscaling"))
            .rule(
                    "proxyProtocolFrom needs proxyProtocol: true",
                    "!has(self.proxyProtocolFrom) || (has(self.proxyProtocol) && self.proxyProtocol)",
                    spec -> !spec.has("proxyProtocolFrom")
                            || spec.optionalFlag("proxyProtocol").orElse(false))
            .rule(
                    "connections.perClient needs proxyProtocolFrom, or service.externalTrafficPolicy: Local without"
                            + " proxyProtocol: elsewhere a connection's address is not that of the client",
                    "!has(self.connections) || !has(self.connections.perClient) || has(self.proxyProtocolFrom)"
                            + " || (!(has(self.proxyProtocol) && self.proxyProtocol) && has(self.service)"
                            + " && has(self.service.externalTrafficPolicy)"
                            + " && self.service.externalTrafficPolicy == 'Local')",
                    spec -> !spec.optionalObject("connections")
                                    .map(limits -> limits.has("perClient"))
                                    .orElse(false)
                            || ParametersReading.seesClients(spec))
            .rule(
                    "storage and a -s in varnishdExtraArgs exclude each other",
                    "!has(self.storage) || !has(self.varnishdExtraArgs)"
                            + " || !self.varnishdExtraArgs.exists(word, word.startsWith('-s'))",
                    spec -> !spec.has("storage")
                            || spec.texts("varnishdExtraArgs").stream().noneMatch(word -> word.startsWith("-s")));

    static final KindDecoder DECODER = new KindDecoder(
                    GroupKind.GATEWAY_CLASS_PARAMETERS,
                    VarnishKinds.VERSIONS,
                    Scope.CLUSTER,
                    object(optional("spec", SPEC)),
                    ParametersReading::parameters)
            .withOutline(object(), (meta, object) -> ParametersReading.nothing(meta));

    private ParametersKind() {}

    private static Schema.WholeOrText percentage() {
        return Schema.wholeOrText().matching(Names.pattern("^[0-9]{1,3}%$", "a number, or per cent such as 50%"));
    }

    private static Schema.Fields resources() {
        return object(
                optional("requests", table(Quantities.SCHEMA)).means("What a node must have free."),
                optional("limits", table(Quantities.SCHEMA)).means("What the container may use."),
                optional("claims", list(anything())).means("Devices, by name."));
    }

    private static Schema.Items tolerations() {
        return list(object(
                optional("key", text()),
                optional("operator", text().oneOf("Exists", "Equal")),
                optional("value", text()),
                optional("effect", text().oneOf("NoSchedule", "PreferNoSchedule", "NoExecute")),
                optional("tolerationSeconds", whole())));
    }

    private static Schema.Items spread() {
        return list(object(
                        required("maxSkew", whole().between(1, Integer.MAX_VALUE)),
                        required("topologyKey", text()),
                        required("whenUnsatisfiable", text().oneOf("DoNotSchedule", "ScheduleAnyway")))
                .keepingOthers());
    }

    private static Schema.Items environment() {
        return list(object(
                        required("name", text().length(1, 253)),
                        optional("value", text()),
                        optional("valueFrom", object().keepingOthers())))
                .uniqueBy("name");
    }

    private static Schema.Items named(Schema.Text name) {
        return list(object(required("name", name)).keepingOthers())
                .most(MOST_ITEMS)
                .uniqueBy("name");
    }

    private static Schema.Items mounts() {
        return list(object(required("name", text()), required("mountPath", text().length(1, MOST_TEXT)))
                        .keepingOthers())
                .most(MOST_ITEMS)
                .uniqueBy("mountPath");
    }
}
