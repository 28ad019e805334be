package dev.shellac.varnishd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.testkit.net.FreePort;
import dev.shellac.varnishd.ghost.ReloadAnswer;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** One varnishd of each release, told many things. */
@ParameterizedClass
@EnumSource(Debian.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class VarnishdTest {
    @Parameter
    private Debian debian = Debian.VARNISH_7_1;

    private final Observed owner = new Observed();
    private Path folder = Path.of("");
    private Optional<Varnishd> started = Optional.empty();
    private int port;
    private int files;

    @BeforeAll
    void start(@TempDir Path shared) throws IOException {
        folder = shared;
        port = FreePort.find();
        table("first", "first.example.com", "");
        started = Optional.of(
                Varnishd.start(debian.settings(folder, port), Patience.usual(), owner, InstantSource.system()));
        assertThat(varnishd().load(vcl(""))).isInstanceOf(VclOutcome.Live.class);
    }

    private Varnishd varnishd() {
        return started.orElseThrow();
    }

    @AfterAll
    void stop() {
        started.ifPresent(Varnishd::close);
        assertThat(Machine.processesWith(folder)).isEmpty();
    }

    @Test
    void servesWhatItsTableSays() throws Exception {
        table("served", "served.example.com", "");
        assertThat(varnishd().reload()).isInstanceOf(ReloadAnswer.Live.class);
        assertThat(location()).contains("http://served.example.com/x");
    }

    @Test
    void aVclThatDoesNotCompileChangesNothing() throws Exception {
        Optional<String> before = varnishd().vcl();
        VclOutcome outcome = varnishd().load(vcl("sub vcl_recv { set req.http.x = nonsense; }"));
        assertThat(outcome)
                .isEqualTo(new VclOutcome.Refused(folder.resolve(files + ".vcl")
                        + ":6:33: Symbol not found: 'nonsense'\n" + "sub vcl_recv { set req.http.x = nonsense; }"));
        assertThat(varnishd().vcl()).isEqualTo(before);
        assertThat(get().status()).isEqualTo(302);
    }

    @Test
    void aFileThatIsNotThereIsSaidSo() throws Exception {
        assertThat(varnishd().load(folder.resolve("none.vcl")))
                .isInstanceOfSatisfying(
                        VclOutcome.Refused.class,
                        refused -> assertThat(refused.words()).contains("none.vcl"));
    }

    @Test
    void threeVclsAreKeptAndTheLastButOneIsWhereRollbackGoes() throws Exception {
        for (String mark : List.of("a", "b", "c", "d")) {
            assertThat(varnishd().load(marked(mark))).isInstanceOf(VclOutcome.Live.class);
        }
        assertThat(loadedVcls()).isEqualTo(3);
        assertThat(get().header("X-Mark")).contains("d");
        assertThat(varnishd().rollback()).isInstanceOf(VclOutcome.Live.class);
        assertThat(get().header("X-Mark")).contains("c");
        assertThat(varnishd().load(marked("e"))).isInstanceOf(VclOutcome.Live.class);
        assertThat(varnishd().rollback()).isInstanceOf(VclOutcome.Live.class);
        assertThat(get().header("X-Mark")).contains("c");
        assertThat(loadedVcls()).isEqualTo(3);
    }

    @Test
    void aBadRouteIsLeftOutAndNamed() throws Exception {
        table(
                "partly",
                "partly.example.com",
                ",{\"route_name\":\"default/bad\",\"path_match\":{\"type\":\"RegularExpression\",\"value\":\"(\"}}");
        assertThat(varnishd().reload()).isInstanceOfSatisfying(ReloadAnswer.Live.class, live -> {
            assertThat(live.hash()).contains("partly");
            assertThat(live.routes()).isEqualTo(1);
            assertThat(live.refused()).isEqualTo(1);
            ReloadAnswer.Refusal refusal = live.refusals().getFirst();
            assertThat(refusal.vhost()).isEqualTo("*");
            assertThat(refusal.route()).isEqualTo("default/bad");
            assertThat(refusal.position()).contains(1);
            assertThat(refusal.field()).isEqualTo("path_match.value");
            assertThat(refusal.effect()).isEqualTo("route-omitted");
            assertThat(refusal.message()).isNotEmpty();
            assertThat(live.took()).isPositive();
        });
        assertThat(location()).contains("http://partly.example.com/x");
    }

    @Test
    void aTableThatIsNoneChangesNothing() throws Exception {
        table("good", "good.example.com", "");
        assertThat(varnishd().reload()).isInstanceOf(ReloadAnswer.Live.class);
        Files.writeString(folder.resolve("ghost.json"), "{\"version\":3}");
        assertThat(varnishd().reload()).isInstanceOfSatisfying(ReloadAnswer.Rejected.class, rejected -> {
            assertThat(rejected.field()).isEqualTo("version");
            assertThat(rejected.hash()).contains("good");
            assertThat(rejected.routes()).isEqualTo(1);
        });
        assertThat(location()).contains("http://good.example.com/x");
        table("good", "good.example.com", "");
    }

    @Test
    void countersAreNumbersByName() throws Exception {
        get();
        assertThat(varnishd().counters()).containsKeys("MGT.uptime", "MAIN.client_req", "MAIN.vcl_fail");
        assertThat(varnishd().counters().get("MAIN.sess_conn")).isPositive();
    }

    @Test
    void parametersAreSetAndShown() throws Exception {
        assertThat(varnishd().set("default_grace", "17").isDone()).isTrue();
        assertThat(varnishd().show("default_grace").words()).contains("17.000");
        assertThat(varnishd().set("no_such", "1").isDone()).isFalse();
        assertThat(varnishd().set("no_such", "1").words()).contains("Unknown parameter");
    }

    @Test
    void aKilledChildIsReplacedAndServesTheSame() throws Exception {
        table("again", "again.example.com", "");
        assertThat(varnishd().reload()).isInstanceOf(ReloadAnswer.Live.class);
        Optional<String> vcl = varnishd().vcl();
        awaitWorker();
        Machine.varnishds(varnishd().pid()).getLast().destroyForcibly();
        assertThat(owner.awaitRestart())
                .isInstanceOfSatisfying(
                        ReloadAnswer.Live.class, live -> assertThat(live.hash()).contains("again"));
        assertThat(varnishd().vcl()).isEqualTo(vcl);
        assertThat(location()).contains("http://again.example.com/x");
    }

    // The number of the process that serves is asked for once a second; a death before that would look like the first
    // start.
    private void awaitWorker() throws Exception {
        while (varnishd().worker().isEmpty()) {
            Thread.sleep(5);
        }
        Thread.sleep(Patience.usual().watch().plusMillis(200));
    }

    private long loadedVcls() throws Exception {
        return varnishd().loadedVcls().orElseThrow();
    }

    private Path marked(String mark) throws IOException {
        return vcl("sub vcl_deliver { set resp.http.X-Mark = \"" + mark + "\"; }");
    }

    private Path vcl(String user) throws IOException {
        Path file = folder.resolve(++files + ".vcl");
        Path gateway = debian.gatewayVcl();
        Files.writeString(file, """
                vcl 4.1;
                import ghost;
                backend dummy none;
                sub vcl_init { ghost.init("%s"); new router = ghost.ghost_backend(); }
                include "%s";
                %s
                include "%s";
                """.formatted(
                folder.resolve("ghost.json"), gateway.resolve("preamble.vcl"), user, gateway.resolve("postamble.vcl")));
        return file;
    }

    private void table(String hash, String location, String more) throws IOException {
        Path next = folder.resolve("ghost.json.new");
        Files.writeString(next, """
            {"version":2,"hash":"%s","vhosts":{"*":{"routes":[
              {"route_name":"default/a","filters":{"request_redirect":{"hostname":"%s"}}}%s]}}}
            """.formatted(hash, location, more));
        Files.move(next, folder.resolve("ghost.json"), java.nio.file.StandardCopyOption.ATOMIC_MOVE);
    }

    private Optional<String> location() throws IOException {
        return get().header("Location");
    }

    private Answer get() throws IOException {
        var connection = (HttpURLConnection)
                URI.create("http://127.0.0.1:" + port + "/x").toURL().openConnection();
        connection.setInstanceFollowRedirects(false);
        try {
            return new Answer(connection.getResponseCode(), connection.getHeaderFields());
        } finally {
            connection.disconnect();
        }
    }

    private record Answer(int status, Map<String, List<String>> headers) {
        Optional<String> header(String name) {
            return headers.getOrDefault(name, List.of()).stream().findFirst();
        }
    }
}
