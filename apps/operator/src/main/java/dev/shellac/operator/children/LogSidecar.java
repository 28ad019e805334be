package dev.shellac.operator.children;

import dev.shellac.model.policy.GatewayClassParameters.Logging;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.util.ArrayList;
import java.util.List;

/** The container that writes a log of requests to its standard output. */
final class LogSidecar {
    private static final String NCSA = "varnishncsa";

    private LogSidecar() {}

    static Container of(Logging logging, String gatewayImage, VolumeMount run) {
        // -t off: it may start before varnishd does.
        var words = new ArrayList<>(List.of("-n", PodEnvironment.VARNISH_FOLDER, "-t", "off"));
        if (logging.mode().equals(NCSA)) {
            logging.format().ifPresent(format -> words.addAll(List.of("-F", format)));
        }
        words.addAll(logging.extraArgs());
        return new ContainerBuilder()
                .withName("varnish-log")
                .withImage(logging.image().orElse(gatewayImage))
                .withImagePullPolicy("IfNotPresent")
                .withCommand(logging.mode())
                .withArgs(words)
                // The process ids in the log are those of another container: they say nothing here about who is alive.
                .addNewEnv()
                .withName("VSM_NOPID")
                .withValue("1")
                .endEnv()
                .withNewResources()
                .withRequests(GatewayDeployment.amounts("10m", "32Mi"))
                .withLimits(GatewayDeployment.amounts("100m", "128Mi"))
                .endResources()
                .withSecurityContext(GatewayDeployment.confined())
                .withVolumeMounts(run)
                .build();
    }
}
