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
    }

    private void begin() throws Exception {
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
        begin();
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

    private static String part(String name) {
        return "\nsub vcl_deliver { set resp.http.X-Part = \"" + name + "\"; }\n";
    }

    private boolean runs(String part) throws IOException {
        return pod.state().contains("\"hash\":\"sha256:" + sha256(gateway.vcl(part)) + "\"");
    }

    /** VCL can read files: who may write ConfigMaps in the namespace must not read the keys of others with it. */
    @Test
    void aVclThatTheSecretDoesNotNameIsNotUsedBesideKeys() throws Exception {
        begin();
        assertThat(runs("")).isTrue();
        gateway.tamper(gateway.haproxy(), part("theirs"));
        eventually("it is said", () -> pod.state().contains("main.vcl in the ConfigMap is not used"));
        assertThat(runs("")).isTrue();
        // A pod that starts does not run it either.
        pod.stop();
        pod.start();
        eventually("it is said", () -> pod.state().contains("main.vcl in the ConfigMap is not used"));
        assertThat(runs("")).isTrue();
        assertThat(shown("a.example.com")).isEqualTo("a");

        // The operator's next one, the ConfigMap first, and the one after that, the Secret first.
        gateway.userVcl(part("first"));
        gateway.tamper(gateway.haproxy());
        Thread.sleep(200);
        assertThat(runs("")).isTrue();
        gateway.secret();
        eventually("it is used", () -> runs(part("first")));
        gateway.userVcl(part("second"));
        gateway.secret();
        Thread.sleep(200);
        assertThat(runs(part("first"))).isTrue();
        gateway.tamper(gateway.haproxy());
        eventually("it is used", () -> runs(part("second")));
        eventually("all is well", () -> !pod.state().contains("is not used"));
    }

    @Test
    void theFirstKeysWaitForTheVclThatTheyNameAndTheLastOnesFreeIt() throws Exception {
        gateway.tamper("", part("theirs"));
        pod.start();
        eventually("without keys any VCL is used", () -> runs(part("theirs")));
        gateway.announce();
        gateway.tamper(gateway.haproxy(), part("theirs"));
        eventually("they wait", () -> pod.state().contains("\"certificates\":\"they wait"));
        assertThat(runs(part("theirs"))).isTrue();
        assertThat(hasKeys()).isFalse();
        gateway.configMap(gateway.haproxy());
        eventually("they are there", () -> !pod.haproxies().isEmpty());
        pod.awaitReady();
        eventually("nothing is missing", () -> !pod.state().contains("\"refused\""));
        assertThat(shown("a.example.com")).isEqualTo("a");
        assertThat(runs("")).isTrue();

        gateway.configMap("");
        eventually("no keys", () -> !hasKeys());
        gateway.tamper("", part("free"));
        eventually("without keys any VCL is used again", () -> runs(part("free")));
        // With what was there before it does not get the keys back.
        gateway.tamper(gateway.haproxy(), part("free"));
        eventually("there are none", () -> pod.state().contains("the Secret of certificates is not known yet"));
        assertThat(hasKeys()).isFalse();
    }

    /** A set that HAProxy never took is keys, too, and binds the VCL no longer than it has to. */
    @Test
    void keysThatWereNeverServedGoWithTheirListener() throws Exception {
        gateway.apply("nonsense\n");
        pod.start();
        eventually("HAProxy's words", () -> pod.state().contains("unknown keyword 'nonsense'"));
        assertThat(hasKeys()).isTrue();
        gateway.configMap("");
        eventually("no keys", () -> !hasKeys());
        gateway.tamper("", part("free"));
        eventually("without keys any VCL is used", () -> runs(part("free")));
    }

    @Test
    void whatAKilledPodLeftIsGoneAtTheNextStart() throws Exception {
        begin();
        pod.stop();
        Path left = Files.createDirectories(folder.resolve("edge/0123.new"));
        Files.writeString(left.resolve("shop.a.pem"), "half a key");
        pod.start();
        assertThat(left).doesNotExist();
        pod.awaitReady();
        assertThat(shown("a.example.com")).isEqualTo("a");
    }

    @Test
    void halfASetOfKeysBindsNoVcl() throws Exception {
        Files.createDirectories(folder.resolve("edge/0123.new"));
        gateway.tamper("", part("free"));
        pod.start();
        eventually("without keys any VCL is used", () -> runs(part("free")));
    }

    private boolean hasKeys() throws IOException {
        Path edge = folder.resolve("edge");
        if (!Files.isDirectory(edge)) {
            return false;
        }
        try (var sets = Files.list(edge)) {
            return sets.anyMatch(Files::isDirectory);
        }
    }

    private static String sha256(String text) {
        return RoutingFile.sha256(text.getBytes(UTF_8));
    }

    /** Files that did not change are the same files in the next set: they are in memory. */
    @Test
    void aRotationTakesTheMemoryOfOneCertificate() throws Exception {
        begin();
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
