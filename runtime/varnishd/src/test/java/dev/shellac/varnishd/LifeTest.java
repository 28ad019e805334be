package dev.shellac.varnishd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.testkit.net.FreePort;
import dev.shellac.varnishd.cli.CliCommand;
import dev.shellac.varnishd.cli.CliLink;
import dev.shellac.varnishd.cli.CliSecret;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How a varnishd begins and ends, and what it does when it takes long. */
final class LifeTest {
    @TempDir
    private Path folder;

    private final Observed owner = new Observed();

    @AfterEach
    void nothingIsLeft() {
        assertThat(Machine.processesWith(folder)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Debian.class)
    void stopsAtOnceAndTellsNobody(Debian debian) throws Exception {
        Varnishd varnishd = start(debian.settings(folder, FreePort.find()), Patience.usual());
        assertThat(varnishd.load(vcl())).isInstanceOf(VclOutcome.Live.class);
        assertThat(Machine.varnishds(varnishd.pid())).hasSize(2);
        long start = System.nanoTime();
        varnishd.close();
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isLessThan(Patience.usual().stop());
        assertThat(varnishd.isAlive()).isFalse();
        assertThat(Machine.processesWith(folder)).isEmpty();
        assertThat(owner.heardNothing()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Debian.class)
    void aUsersFolderOfVmodsReplacesNeitherOursNorVarnishs(Debian debian) throws Exception {
        VarnishdSettings settings = debian.settings(folder, FreePort.find())
                .withArguments(List.of("-p", "vmod_path=/usr/lib/none", "-t", "7"));
        try (Varnishd varnishd = start(settings, Patience.usual())) {
            // ghost is ours, std comes with Varnish
            assertThat(varnishd.load(vcl())).isInstanceOf(VclOutcome.Live.class);
        }
    }

    @Test
    void nothingIsStoredWithoutALifetimeUnlessAUserSaysSo() {
        VarnishdSettings settings = VarnishdSettings.of(List.of("varnishd"), folder, List.of());
        assertThat(settings.commandLine("callback")).containsSequence("-t", "0");
        assertThat(settings.withArguments(List.of("-t", "7")).commandLine("callback"))
                .as("the last one counts")
                .containsSubsequence("-t", "0", "-t", "7");
    }

    @ParameterizedTest
    @EnumSource(Debian.class)
    void oneThatIsDeafIsKilled(Debian debian) throws Exception {
        var impatient = new Patience(
                Duration.ofSeconds(10),
                Duration.ofSeconds(20),
                Duration.ofSeconds(10),
                Duration.ofMillis(100),
                Duration.ofSeconds(1));
        Varnishd varnishd = start(debian.settings(folder, FreePort.find()), impatient);
        assertThat(varnishd.load(vcl())).isInstanceOf(VclOutcome.Live.class);
        for (ProcessHandle process : Machine.varnishds(varnishd.pid())) {
            new ProcessBuilder("kill", "-STOP", String.valueOf(process.pid()))
                    .start()
                    .waitFor();
        }
        varnishd.close();
        assertThat(Machine.processesWith(folder)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Debian.class)
    void aKilledManagerIsToldToTheOwner(Debian debian) throws Exception {
        try (Varnishd varnishd = start(debian.settings(folder, FreePort.find()), Patience.usual())) {
            assertThat(varnishd.load(vcl())).isInstanceOf(VclOutcome.Live.class);
            Machine.varnishds(varnishd.pid()).getFirst().destroyForcibly();
            assertThat(owner.awaitExit().status()).isNotZero();
            assertThat(varnishd.isAlive()).isFalse();
            assertThat(varnishd.load(vcl())).isInstanceOf(VclOutcome.Unknown.class);
        }
        try (Varnishd varnishd = start(debian.settings(folder, FreePort.find()), Patience.usual())) {
            assertThat(varnishd.load(vcl())).isInstanceOf(VclOutcome.Live.class);
        }
    }

    @ParameterizedTest
    @EnumSource(Debian.class)
    void aPortThatIsTakenIsInItsLastWords(Debian debian) throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Varnishd varnishd = start(debian.settings(folder, taken.getLocalPort()), Patience.usual())) {
            Observed.Exit exit = owner.awaitExit();
            assertThat(exit.lastWords()).contains("127.0.0.1:" + taken.getLocalPort(), "in use");
            assertThat(varnishd.isResponsive()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(Debian.class)
    void aSlowCompilerKeepsNobodyWaitingAndIsNotAskedTwice(Debian debian) throws Exception {
        VarnishdSettings settings = debian.settings(folder, FreePort.find())
                .withParameter("cc_command", "sleep 2.5; " + VarnishdSettings.TCC);
        var patience = new Patience(
                Duration.ofSeconds(10),
                Duration.ofSeconds(2),
                Duration.ofSeconds(10),
                Duration.ofSeconds(10),
                Duration.ofMillis(100));
        try (Varnishd varnishd = start(settings, patience);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<VclOutcome> loading = threads.submit(() -> varnishd.load(vcl()));
            while (varnishd.busyWith()
                    .filter(busy -> busy.startsWith("vcl.load"))
                    .isEmpty()) {
                Thread.sleep(1);
            }
            long start = System.nanoTime();
            assertThat(varnishd.isResponsive()).isTrue();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(100));
            // The answer did not come within two seconds; the list, read afterwards, has it.
            assertThat(loading.get()).isInstanceOf(VclOutcome.Live.class);
            assertThat(varnishd.loadedVcls()).contains(1);
        }
    }

    // Who loads the first VCL and who watches both ask for the process that serves, and either may be first.
    @ParameterizedTest
    @EnumSource(Debian.class)
    void theFirstVclIsTakenHoweverOftenIsLooked(Debian debian) throws Exception {
        var watchful = new Patience(
                Duration.ofSeconds(10),
                Duration.ofMinutes(2),
                Duration.ofSeconds(30),
                Duration.ofSeconds(10),
                Duration.ofMillis(1));
        for (int i = 0; i < 20; i++) {
            try (Varnishd varnishd = start(debian.settings(folder, FreePort.find()), watchful)) {
                assertThat(varnishd.load(vcl())).isInstanceOf(VclOutcome.Live.class);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Debian.class)
    void anotherSecretIsSaidSo(Debian debian) throws Exception {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path other = folder.resolve("other");
        CliSecret.draw(new Random(2)).write(other);
        try (CliLink link = CliLink.open(CliSecret.draw(new Random(1)))) {
            var command = new ArrayList<>(debian.command());
            command.addAll(List.of("-F", "-f", "", "-n", folder.resolve("n").toString(), "-a", "127.0.0.1:0"));
            command.addAll(List.of(
                    "-S", other.toString(), "-M", "127.0.0.1:" + link.address().getPort()));
            VarnishdProcess process = VarnishdProcess.start(command, line -> {});
            try {
                String words = "";
                for (int i = 0; i < 200 && !words.contains("another secret"); i++) {
                    words = link.send(CliCommand.of("ping"), Duration.ofMillis(50))
                            .words();
                }
                assertThat(words).contains("varnishd has another secret than we");
            } finally {
                process.stop(Duration.ofSeconds(10));
            }
        }
    }

    private Varnishd start(VarnishdSettings settings, Patience patience) throws IOException {
        return Varnishd.start(settings, patience, owner, InstantSource.system());
    }

    private Path vcl() throws IOException {
        return Files.writeString(folder.resolve("plain.vcl"), "vcl 4.1; backend default none;\n");
    }
}
