package dev.shellac.kube.write;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.shellac.kube.Api;
import dev.shellac.testkit.kube.FakeApiServer;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class StatusEditTest {
    private static final String PATH = "/apis/gateway.networking.k8s.io/v1/namespaces/a/gateways/g";
    private static final Map<String, Object> WANTED =
            Map.of("conditions", List.of(Map.of("type", "Accepted", "status", "True", "reason", "R", "message", "m")));
    private final FakeApiServer server = FakeApiServer.start();
    private final Api api = Api.at(server.url());
    private final StatusEdit edit =
            new StatusEdit(HttpKubeWriter.of(api.requests()), "ours", () -> Instant.parse("2026-01-01T00:00:00Z"));

    StatusEditTest() throws Exception {}

    @AfterEach
    void end() {
        api.close();
        server.close();
    }

    private StatusEdit.Edited write(String uid) throws Exception {
        return edit.write(PATH, uid, Set.of("Accepted"), WANTED, Optional.empty());
    }

    @Test
    void whatIsThereIsNotWrittenAgain() throws Exception {
        server.put(PATH, "{\"metadata\":{\"name\":\"g\",\"namespace\":\"a\"}}");
        assertThat(write("").result()).isEqualTo(StatusEdit.Result.WRITTEN);
        assertThat(write("").result()).isEqualTo(StatusEdit.Result.AS_IT_WAS);
        assertThat(server.writes()).hasSize(1);
    }

    @Test
    void whereSomebodyWasFasterBothStay() throws Exception {
        server.put(PATH, "{\"metadata\":{\"name\":\"g\",\"namespace\":\"a\"}}");
        server.race(PATH, status -> {
            status.withArrayProperty("conditions")
                    .addObject()
                    .put("type", "example.com/Theirs")
                    .put("status", "True");
            return status;
        });
        assertThat(write("").result()).isEqualTo(StatusEdit.Result.WRITTEN);
        JsonNode conditions = server.find(PATH).orElseThrow().at("/status/conditions");
        assertThat(conditions)
                .extracting(condition -> condition.path("type").asText())
                .containsExactly("Accepted", "example.com/Theirs");
    }

    @Test
    void anObjectOfTheSameNameThatCameLaterIsAnother() throws Exception {
        server.put(PATH, "{\"metadata\":{\"name\":\"g\",\"namespace\":\"a\",\"uid\":\"2\"}}");
        assertThat(write("1").result()).isEqualTo(StatusEdit.Result.GONE);
        assertThat(server.writes()).isEmpty();
    }

    @Test
    void anObjectThatIsGoneIsNoFault() throws Exception {
        assertThat(write("1").result()).isEqualTo(StatusEdit.Result.GONE);
    }
}
