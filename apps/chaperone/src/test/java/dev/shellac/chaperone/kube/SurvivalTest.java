package dev.shellac.chaperone.kube;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.chaperone.FakeApi;
import dev.shellac.threads.Supervisor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A fault of ours must not end a thread for good. */
final class SurvivalTest {
    private static final String CONFIG_MAPS = "/api/v1/namespaces/edge/configmaps";
    private static final String SECRETS = "/api/v1/namespaces/edge/secrets";

    private final AtomicInteger fails = new AtomicInteger();

    private void happened() {
        if (fails.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new IllegalStateException("a fault of ours, in a test");
        }
    }

    @Test
    void whatNobodyForesawIsCountedAndSurvived() throws Exception {
        try (FakeApi api = FakeApi.start();
                PodWatches watches = PodWatches.start(
                        ApiServer.at(api.url()),
                        new PodWatches.Names("edge", "gw-vcl", Optional.of("gw-certificates")),
                        new Backoff(Duration.ofMillis(5), Duration.ofMillis(50)),
                        this::happened)) {
            configMap(api, "first");
            eventually("it is there", () -> isVcl(watches, "first"));
            long before = Supervisor.PROCESS.ends();
            for (String vcl : new String[] {"second", "third"}) {
                fails.set(3);
                configMap(api, vcl);
                eventually("it is there", () -> isVcl(watches, vcl));
                eventually("it has failed", () -> fails.get() == 0);
            }
            eventually("it is counted", () -> Supervisor.PROCESS.ends() >= before + 6);
            eventually("all is well", () -> watches.config().fault().isEmpty());
            fails.set(3);
            String list = Base64.getEncoder().encodeToString("[]".getBytes(StandardCharsets.UTF_8));
            api.put(SECRETS, "gw-certificates-index", "", ",\"data\":{\"parts\":\"" + list + "\"}");
            eventually(
                    "it is read",
                    () -> watches.secret().orElseThrow().fault().stream()
                            .anyMatch(why -> why.contains("lists 0 parts")));
            configMap(api, "last");
            eventually("it is there", () -> isVcl(watches, "last"));
            assertThat(Supervisor.PROCESS.failing()).isEmpty();
        }
    }

    private static void configMap(FakeApi api, String vcl) {
        api.put(CONFIG_MAPS, "gw-vcl", "", ",\"data\":{\"main.vcl\":\"" + vcl + "\"}");
    }

    private static boolean isVcl(PodWatches watches, String vcl) {
        return watches.config().known().flatMap(PodConfig::vcl).equals(Optional.of(vcl));
    }
}
