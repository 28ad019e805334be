package dev.shellac.chaperone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.shellac.chaperone.kube.PodWatches;
import dev.shellac.varnishd.ListenSocket;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SettingsTest {
    @Test
    void withoutAnythingItIsAsEver() throws BadSettings {
        Settings settings = Settings.of(Map.of());
        assertThat(settings.source())
                .isEqualTo(new Settings.Source(
                        new PodWatches.Names("default", "gateway-vcl", Optional.empty()), Optional.empty()));
        assertThat(settings.varnishd().folder()).isEqualTo(Path.of("/var/run/varnish"));
        assertThat(settings.files().table()).isEqualTo(Path.of("/var/run/varnish/ghost.json"));
        assertThat(settings.files().vcl()).isEqualTo(Path.of("/var/run/varnish/main.vcl"));
        assertThat(settings.varnishd().sockets()).containsExactly(ListenSocket.http("http", ":80"));
        assertThat(settings.varnishd().storages()).containsExactly("malloc,256m");
        assertThat(settings.serving().health().getPort()).isEqualTo(8080);
        assertThat(settings.serving().debug().getAddress().isLoopbackAddress()).isTrue();
        assertThat(settings.backends()).isEmpty();
    }

    @Test
    void listsAreCutAtSemicolonsAndTheRoutersSocketIsOurs() throws BadSettings {
        Settings settings = Settings.of(Map.of(
                "VARNISH_LISTEN", "ghost-reload=127.0.0.1:1969,http; http-80=:8000,http ;edge=/run/edge.sock,PROXY",
                "VARNISHD_EXTRA_ARGS", "-p;thread_pools=1",
                "VARNISH_DIR", "/run/vsm"));
        assertThat(settings.varnishd().sockets())
                .containsExactly(
                        ListenSocket.http("http-80", ":8000"), new ListenSocket("edge", "/run/edge.sock", "PROXY"));
        assertThat(settings.sockets()).containsExactlyInAnyOrder("http-80", "edge");
        assertThat(settings.varnishd().arguments()).containsExactly("-p", "thread_pools=1");
        assertThat(settings.varnishd().workingDirectory()).contains(Path.of("/run/vsm"));
    }

    @Test
    void whereThereAreLinesASemicolonIsPartOfOne() throws BadSettings {
        Settings settings = Settings.of(Map.of("VARNISHD_EXTRA_ARGS", "-p\ncc_command=a; b\n"));
        assertThat(settings.varnishd().arguments()).containsExactly("-p", "cc_command=a; b");
    }

    @Test
    void everyMistakeIsSaidAtOnce() {
        assertThatThrownBy(() -> Settings.of(Map.of(
                        "HEALTH_ADDR", "8080x",
                        "DRAIN_DELAY", "soon",
                        "VARNISH_LISTEN", ":80",
                        "VCL_COMPILER", "gcc2")))
                .isInstanceOf(BadSettings.class)
                .hasMessageContaining("HEALTH_ADDR=8080x: host:port or :port expected")
                .hasMessageContaining("DRAIN_DELAY=soon")
                .hasMessageContaining("VARNISH_LISTEN=:80")
                .hasMessageContaining("VCL_COMPILER=gcc2");
    }

    @ParameterizedTest
    @CsvSource({"debug,DEBUG", "DEBUG,DEBUG", "Info,INFO", "'',INFO", "WARN,WARNING", "Warning,WARNING", " error ,ERROR"
    })
    void levelsHaveTheirUsualNamesInAnyCase(String text, System.Logger.Level level) throws BadSettings {
        assertThat(Settings.of(Map.of("LOG_LEVEL", text)).logLevel()).isEqualTo(Optional.of(level));
    }

    @Test
    void anUnknownLevelStopsNoPod() throws BadSettings {
        assertThat(Settings.of(Map.of("LOG_LEVEL", "loud")).logLevel()).isEmpty();
    }

    @Test
    void everyVariableThatIsReadIsInTheHelp() {
        for (String name : new String[] {
            "NAMESPACE",
            "CONFIGMAP_NAME",
            "VARNISH_LISTEN",
            "VARNISH_STORAGE",
            "VARNISHD_EXTRA_ARGS",
            "WORK_DIR",
            "VARNISH_DIR",
            "GHOST_CONFIG_PATH",
            "VCL_PATH",
            "BACKENDS_FILE_PATH",
            "HEALTH_ADDR",
            "DEBUG_ADDR",
            "DRAIN_TOKEN",
            "LOG_LEVEL",
            "GATEWAY_NAME",
            "POD_NAME"
        }) {
            assertThat(Settings.HELP).contains(name);
        }
    }

    @Test
    void theTokenIsNotPrinted() throws BadSettings {
        assertThat(Settings.of(Map.of("DRAIN_TOKEN", "hush")).toString()).doesNotContain("hush");
    }
}
