package dev.shellac.chaperone;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.chaperone.kube.RoutingFile;
import dev.shellac.testkit.tls.TestCertificates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Certificates, and the one configuration that is used with them. */
final class CertificateSetsTest {
    @TempDir
    private Path folder;

    private Pod pod;
    private TlsGateway gateway;

    @BeforeEach
    void make() throws Exception {
        pod = Pod.in(folder);
        gateway = new TlsGateway(pod);
        gateway.apply();
        pod.start();
        pod.awaitReady();
    }

    @AfterEach
    void nothingIsLeft() {
        pod.close();
    }

    private String shown(String serverName) throws IOException {
        try (TlsConnection connection = TlsConnection.to(gateway.https(), serverName)) {
            return connection.certificate();
        }
    }

    /** Who may write ConfigMaps in the namespace must not choose what runs beside the keys of others. */
    @Test
    void aConfigurationThatTheSecretDoesNotNameIsNotRun() throws Exception {
        String good = gateway.haproxy();
        String other = good.replace("timeout connect 5s", "timeout connect 4s");
        assertThat(other).isNotEqualTo(good);
        gateway.tamper(other);
        eventually("it is said", () -> pod.state().contains("haproxy.cfg in the ConfigMap is not used"));
        assertThat(pod.state()).contains("\"hash\":\"sha256:" + sha256(good) + "\"");
        // Certificates go on with the configuration that they are for.
        gateway.rotate("a", TestCertificates.of(folder, "meanwhile", "a.example.com"));
        eventually("the next certificate", () -> shown("a.example.com").equals("meanwhile"));
        gateway.tamper("");
        gateway.rotate("a", TestCertificates.of(folder, "later", "a.example.com"));
        eventually("and the next", () -> shown("a.example.com").equals("later"));
        assertThat(pod.haproxies()).isNotEmpty();
        // A pod that starts does not run it either.
        gateway.tamper(other);
        pod.stop();
        pod.start();
        eventually("it is said", () -> pod.state().contains("haproxy.cfg in the ConfigMap is not used"));
        assertThat(pod.state()).contains("\"hash\":\"sha256:" + sha256(good) + "\"");
        gateway.tamper(good);
        eventually("all is well", () -> !pod.state().contains("is not used"));
    }

    private static String sha256(String text) {
        return RoutingFile.sha256(text.getBytes(UTF_8));
    }

    /** Files that did not change are the same files in the next set: they are in memory. */
    @Test
    void aRotationTakesTheMemoryOfOneCertificate() throws Exception {
        Object other = inode("shop.any.pem");
        Object rotated = inode("shop.a.pem");
        gateway.rotate("a", TestCertificates.of(folder, "second", "a.example.com"));
        eventually("the next certificate", () -> shown("a.example.com").equals("second"));
        eventually("it is kept", () -> !inode("shop.a.pem").equals(rotated));
        assertThat(inode("shop.any.pem")).isEqualTo(other);
        assertThat(pod.state()).containsPattern("\"certificates\":\"sha256:[0-9a-f]{64}\"");
    }

    // In the folder that the next start begins with.
    private Object inode(String name) throws IOException {
        return Files.getAttribute(folder.resolve("edge/good").resolve(name), "unix:ino");
    }
}
