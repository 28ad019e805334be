package dev.shellac.operator.children;

import dev.shellac.decode.Decoded;
import dev.shellac.decode.Decoder;
import dev.shellac.decode.Finding;
import dev.shellac.decode.Source;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.Service;
import dev.shellac.model.core.TargetPort;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.policy.GatewayClassParameters.Use;
import dev.shellac.translate.Settings;
import dev.shellac.translate.Translator;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.resolve.Parameters;
import dev.shellac.varnishconfig.edge.CertificateBundle;
import dev.shellac.varnishconfig.routing.RoutingJson;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A Gateway, its plan and its parameters, from YAML. A Service that is named like the Gateway is what was there before. */
record Inputs(Snapshot snapshot, Gateway gateway, GatewayPlan plan, ListenerPorts ports) {
    static final Platform PLATFORM = new Platform(
            "docker.io/shellac/shellac-gateway:1.2.3",
            List.of("registry"),
            "info",
            new Platform.Access(Use.ON, "shellac-system", List.of()));

    static Inputs of(Map<String, String> files) {
        Decoded decoded = Decoder.decode(files.entrySet().stream()
                .map(file -> Source.of(file.getKey(), file.getValue()))
                .toList());
        if (!decoded.findings().isEmpty()) {
            throw new AssertionError(
                    decoded.findings().stream().map(Finding::toString).collect(Collectors.joining("\n")));
        }
        return of(decoded.snapshot());
    }

    /**
     * A Gateway {@code shop/edge} with these listeners, of a class with these parameters.
     *
     * @param more files beside it
     */
    static Inputs of(String listeners, String parameters, Map<String, String> more) {
        var files = new TreeMap<>(more);
        files.put("gateway.yaml", """
                apiVersion: gateway.networking.k8s.io/v1
                kind: GatewayClass
                metadata: {name: varnish}
                spec:
                  controllerName: varnish-software.com/gateway
                  parametersRef: {group: gateway.varnish-software.com, kind: GatewayClassParameters, name: p}
                ---
                apiVersion: gateway.varnish-software.com/v1alpha1
                kind: GatewayClassParameters
                metadata: {name: p}
                spec: %s
                ---
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: edge, namespace: shop, uid: 5d8f}
                spec:
                  gatewayClassName: varnish
                  listeners: [%s]
                """.formatted(parameters, listeners));
        return of(files);
    }

    private static Inputs of(Snapshot snapshot) {
        Gateway gateway = snapshot.all(Gateway.class).stream().findFirst().orElseThrow();
        GatewayPlan plan = Optional.ofNullable(new Translator(Settings.alone())
                        .translate(snapshot)
                        .plans()
                        .get(gateway.meta().name()))
                .orElseThrow(() -> new AssertionError("the Gateway is refused"));
        ListenerPorts before = snapshot.find(Service.class, gateway.meta().name())
                .map(Inputs::read)
                .orElse(ListenerPorts.NONE);
        return new Inputs(snapshot, gateway, plan, before.assign(plan));
    }

    private static ListenerPorts read(Service service) {
        return ListenerPorts.read(
                service.ports().stream()
                        .map(port -> new ListenerPorts.Mapped(
                                port.name().orElse(""), port.port(), ((TargetPort.Numbered) port.target()).port()))
                        .toList(),
                service.meta().annotations());
    }

    DeploymentInput blueprint() {
        return new DeploymentInput(
                gateway,
                Parameters.of(snapshot).of(gateway),
                ports,
                new ServiceNamespaces().of(plan),
                Optional.empty(),
                PLATFORM);
    }

    List<HasMetadata> children() {
        return Children.of(blueprint());
    }

    List<ConfigMap> configMaps() {
        String routing = new RoutingJson().encode(plan, ports.served());
        var edge = Configuration.edge(plan, ports, blueprint().pod().memoryLimit());
        return ConfigMaps.of(gateway, new Configuration(Optional.of("vcl 4.1;\n"), routing, edge));
    }

    List<Secret> certificates() {
        return CertificateSecrets.of(
                gateway,
                CertificateBundle.of(plan, snapshot),
                Configuration.edge(plan, ports, blueprint().pod().memoryLimit()).values().stream()
                        .findFirst(),
                "sha256:0");
    }
}
