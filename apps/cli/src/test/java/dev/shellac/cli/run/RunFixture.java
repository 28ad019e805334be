package dev.shellac.cli.run;

import dev.shellac.cli.echo.EchoServer;
import dev.shellac.testkit.net.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A folder with a Gateway, two backends and a route to the first of them, and what tests do to it. */
abstract class RunFixture {
    @TempDir
    protected Path work;

    protected Path folder = Path.of("");
    protected int port;
    protected EchoServer one;
    protected EchoServer two;

    protected RunFixture() throws IOException {
        one = EchoServer.start("one", 0);
        two = EchoServer.start("two", 0);
    }

    @BeforeEach
    void write() throws IOException {
        Files.setPosixFilePermissions(work, PosixFilePermissions.fromString("rwxr-xr-x"));
        folder = Files.createDirectory(work.resolve("site"));
        port = FreePort.find();
        file("class.yaml", """
                apiVersion: gateway.networking.k8s.io/v1
                kind: GatewayClass
                metadata: {name: shellac}
                spec: {controllerName: varnish-software.com/gateway}
                """);
        gateway("web", port);
        service("one", one.port());
        service("two", two.port());
        route("a", "a.example.com", "one");
    }

    @AfterEach
    void stop() {
        one.close();
        two.close();
    }

    protected RunningShellac start() throws IOException {
        return RunningShellac.start(folder, work);
    }

    protected String backend(String host) {
        return RunningShellac.get(port, host, "/")
                .map(answer -> answer.header("X-Backend"))
                .orElse("");
    }

    protected String mark() {
        return RunningShellac.get(port, "a.example.com", "/")
                .map(answer -> answer.header("X-Mark"))
                .orElse("");
    }

    protected void gateway(String name, int... ports) throws IOException {
        var listeners = new StringBuilder();
        for (int open : ports) {
            listeners.append("  - {name: p%d, protocol: HTTP, port: %d}\n".formatted(open, open));
        }
        file(name + ".yaml", """
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: %s}
                spec:
                  gatewayClassName: shellac
                  listeners:
                %s""".formatted(name, listeners));
    }

    protected void service(String name, int backend) throws IOException {
        file("service-" + name + ".yaml", """
                apiVersion: v1
                kind: Service
                metadata: {name: %1$s}
                spec: {ports: [{name: http, port: 80, targetPort: %2$d}]}
                ---
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata: {name: %1$s-1, labels: {kubernetes.io/service-name: %1$s}}
                addressType: IPv4
                ports: [{name: http, port: %2$d}]
                endpoints: [{addresses: [127.0.0.1]}]
                """.formatted(name, backend));
    }

    protected void route(String name, String host, String service) throws IOException {
        file(name + ".yaml", routeText(name, host, service));
    }

    protected static String routeText(String name, String host, String service) {
        return """
                apiVersion: gateway.networking.k8s.io/v1
                kind: HTTPRoute
                metadata: {name: %s}
                spec:
                  parentRefs: [{name: web}]
                  hostnames: [%s]
                  rules:
                  - backendRefs: [{name: %s, port: 80}]
                """.formatted(name, host, service);
    }

    protected void vcl(String text) throws IOException {
        file("class.yaml", """
                apiVersion: gateway.networking.k8s.io/v1
                kind: GatewayClass
                metadata: {name: shellac}
                spec:
                  controllerName: varnish-software.com/gateway
                  parametersRef: {group: gateway.varnish-software.com, kind: GatewayClassParameters, name: all}
                ---
                apiVersion: gateway.varnish-software.com/v1alpha1
                kind: GatewayClassParameters
                metadata: {name: all}
                spec: {userVCLConfigMapRef: {name: user, namespace: default}}
                ---
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: user}
                data:
                  user.vcl: |
                %s
                """.formatted(text.indent(4)));
    }

    /** What names the VCL stays, and the VCL goes. */
    protected void removeVcl() throws IOException {
        String text = Files.readString(folder.resolve("class.yaml"));
        file("class.yaml", text.substring(0, text.lastIndexOf("---")));
    }

    protected void file(String name, String text) throws IOException {
        Files.writeString(folder.resolve(name), text);
    }
}
