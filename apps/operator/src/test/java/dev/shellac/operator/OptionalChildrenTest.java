package dev.shellac.operator;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.testkit.kube.FakeApiServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Children that are there when they are asked for: a budget, an autoscaler, a ServiceMonitor. */
final class OptionalChildrenTest {
    private static final String MONITOR = "/apis/monitoring.coreos.com/v1/namespaces/shop/servicemonitors/edge";
    private static final String BUDGET = "/apis/policy/v1/namespaces/shop/poddisruptionbudgets/edge";
    private static final String SCALER = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/edge";

    private final Stage stage = new Stage();
    private final FakeApiServer server = stage.server();

    OptionalChildrenTest() throws Exception {}

    @AfterEach
    void end() {
        stage.close();
    }

    private void becomes(String path, boolean there) throws Exception {
        eventually(
                path + (there ? " is there" : " is gone"),
                () -> server.find(path).isPresent() == there);
    }

    @Test
    void aServiceMonitorComesWithItsKindAndGoesWithTheWish() throws Exception {
        stage.parameters("{\"serviceMonitor\":{}}");
        stage.gateway();
        stage.start();
        eventually(
                "it is told that there is no such kind",
                () -> !stage.told("Warning", "KindNotInstalled").isEmpty());
        becomes("/apis/apps/v1/namespaces/shop/deployments/edge", true);
        assertThat(server.find(MONITOR)).isEmpty();

        stage.define("monitoring.coreos.com/v1", "ServiceMonitor", "servicemonitors");
        becomes(MONITOR, true);
        eventually(
                "it is watched",
                () -> server.reads().stream()
                        .anyMatch(path -> path.contains("/servicemonitors") && path.contains("watch=1")));
        server.remove(MONITOR);
        becomes(MONITOR, true);

        server.put(Stage.PARAMETERS, "{\"spec\":{\"serviceMonitor\":null}}");
        becomes(MONITOR, false);
    }

    @Test
    void whatIsNotAskedForAnyMoreIsSweptByTheNextProcess() throws Exception {
        stage.define("monitoring.coreos.com/v1", "ServiceMonitor", "servicemonitors");
        stage.parameters("{\"serviceMonitor\":{},\"podDisruptionBudget\":{\"maxUnavailable\":1},"
                + "\"autoscaling\":{\"maxReplicas\":4}}");
        stage.gateway();
        stage.start();
        becomes(MONITOR, true);
        becomes(BUDGET, true);
        becomes(SCALER, true);
        stage.stop();
        server.put(
                Stage.PARAMETERS,
                "{\"spec\":{\"serviceMonitor\":null,\"podDisruptionBudget\":null,\"autoscaling\":null}}");
        stage.start();
        becomes(MONITOR, false);
        becomes(BUDGET, false);
        becomes(SCALER, false);
    }
}
