package dev.shellac.operator.pods;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.shellac.model.Name;
import org.junit.jupiter.api.Test;

/** What a pod's status shows. */
final class PodTest {
    /** A node reports them in turn, as often as it tries. Each would be a write of the Gateway's status. */
    @Test
    void anImageThatCannotBePulledIsOneObstacleBetweenTwoAttempts() {
        String cause = "failed to pull image \"shellac:1\": not found";
        assertThat(obstacle("ImagePullBackOff", "Back-off pulling image \"shellac:1\": ErrImagePull: " + cause))
                .isEqualTo(obstacle("ErrImagePull", cause))
                .isEqualTo("container varnish-gateway does not run: ErrImagePull: " + cause);
    }

    @Test
    void aContainerThatCrashesIsOneObstacleHoweverLongItsNodeWaits() {
        assertThat(obstacle("CrashLoopBackOff", "back-off 10s restarting failed container=varnish-gateway"))
                .isEqualTo(obstacle("CrashLoopBackOff", "back-off 2m40s restarting failed container=varnish-gateway"))
                .isEqualTo("container varnish-gateway does not run: CrashLoopBackOff: back-off restarting failed"
                        + " container=varnish-gateway");
    }

    private static String obstacle(String reason, String message) {
        ObjectNode pod = new JsonMapper().createObjectNode();
        ObjectNode container =
                pod.putObject("status").putArray("containerStatuses").addObject();
        container
                .put("name", "varnish-gateway")
                .putObject("state")
                .putObject("waiting")
                .put("reason", reason)
                .put("message", message);
        return Pod.of(new Name("ns", "a"), pod).obstacle().orElse("");
    }
}
