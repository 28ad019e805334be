package dev.shellac.chaperone.controller;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.chaperone.kube.PodConfig;
import dev.shellac.chaperone.kube.RoutingFile;
import dev.shellac.chaperone.kube.Slices;
import dev.shellac.model.Name;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.translate.resolve.UserVcl;
import dev.shellac.varnishconfig.vcl.MainVcl;
import dev.shellac.varnishd.VclOutcome;
import dev.shellac.varnishd.ghost.ReloadAnswer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is kept when varnishd or the router does not take what it is given, and how long is waited. */
final class UpdatersTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Slices LISTED = new Slices(PersistentMap.empty(), Set.of("shop"), Map.of(), Set.of(), 1);

    @TempDir
    private Path folder;

    private final Meters meters = new Meters(new SimpleMeterRegistry());
    private PodFiles files;
    private ScriptedVarnish varnish;
    private TableUpdater updater;

    @BeforeEach
    void start() throws IOException {
        files = new PodFiles(folder.resolve("ghost.json"), folder.resolve("main.vcl"));
        varnish = new ScriptedVarnish(files.table());
        updater = keeper();
    }

    @Test
    void aRefusedTableIsReportedNotRepeatedAndGoesFromDisk() throws IOException {
        redirect("/a");
        assertThat(updater.settle(varnish, Slices.NONE, START)).isEmpty();
        String good = Files.readString(files.table());
        Optional<String> live = updater.liveRouting();

        redirect("/b");
        varnish.answers.add(
                new ReloadAnswer.Rejected("sockets", "too many", updater.state().hash(), 1));
        updater.settle(varnish, Slices.NONE, START);
        assertThat(updater.faults()).containsEntry("ghost.json sockets", "too many");
        assertThat(Files.readString(files.table())).isEqualTo(good);
        assertThat(updater.liveRouting()).isEqualTo(live);
        updater.settle(varnish, Slices.NONE, START);
        assertThat(varnish.reloads).isEqualTo(2);
        assertThat(meters.tableErrors.count()).isEqualTo(1);
        assertThat(meters.tableReloads.count()).isEqualTo(1);

        redirect("/c");
        updater.settle(varnish, Slices.NONE, START);
        assertThat(updater.faults()).isEmpty();
        assertThat(Files.readString(files.table())).contains("\"/c\"");
    }

    @Test
    void aRouterThatCannotBeReachedIsToldAgain() throws IOException {
        redirect("/a");
        varnish.answers.add(new ReloadAnswer.Unreachable("nobody there"));
        assertThat(updater.settle(varnish, Slices.NONE, START))
                .contains(Timing.usual().retry());
        assertThat(updater.state().hash()).isEmpty();
        assertThat(updater.settle(varnish, Slices.NONE, START)).isEmpty();
        assertThat(updater.state().hash()).isPresent();
        updater.settle(varnish, Slices.NONE, START);
        assertThat(varnish.reloads).isEqualTo(2);
    }

    @Test
    void patternsThatTheRouterPutOffAreGoneOnWith() throws IOException {
        redirect("/a");
        updater.settle(varnish, Slices.NONE, START);
        updater.forget();
        varnish.answers.add(varnish.live(3));
        assertThat(updater.settle(varnish, Slices.NONE, START)).contains(Duration.ofSeconds(1));
        assertThat(updater.state().refusals())
                .extracting(refusal -> refusal.vhost() + " " + refusal.effect())
                .containsExactly("* deferred");
        assertThat(updater.settle(varnish, Slices.NONE, START)).isEmpty();
        assertThat(varnish.reloads).isEqualTo(3);
    }

    @Test
    void theFirstTableWaitsForAllEndpointsButNotForever() throws IOException {
        route("/a");
        assertThat(updater.services()).containsExactly(new Name("shop", "a"));
        assertThat(updater.settle(varnish, Slices.NONE, START))
                .contains(Timing.usual().firstTable());
        assertThat(files.table()).doesNotExist();
        updater.settle(varnish, Slices.NONE, START.plus(Timing.usual().firstTable()));
        assertThat(Files.readString(files.table())).contains("\"/a\"", "\"shop/a:80\":{\"backends\":[]}");
        assertThat(updater.state().hash()).isPresent();
    }

    @Test
    void aServiceWithoutASliceIsWaitedForAWhile() throws IOException {
        route("/a");
        assertThat(updater.settle(varnish, LISTED, START))
                .contains(Timing.usual().endpoints());
        updater.settle(varnish, LISTED, START.plus(Timing.usual().endpoints()));
        assertThat(Files.readString(files.table())).contains("\"/a\"");
    }

    @Test
    void aTableFromDiskIsServedUntilTheNextOneIsWhole() throws IOException {
        redirect("/a");
        updater.settle(varnish, Slices.NONE, START);
        String before = Files.readString(files.table());

        updater = keeper();
        assertThat(updater.settle(varnish, Slices.NONE, START)).isEmpty();
        assertThat(updater.state().hash()).as("live without any API").isPresent();
        route("/b");
        assertThat(updater.settle(varnish, Slices.NONE, START))
                .contains(Timing.usual().tableFromDisk());
        assertThat(Files.readString(files.table())).isEqualTo(before);
        updater.settle(varnish, LISTED, START);
        updater.settle(varnish, LISTED, START.plus(Timing.usual().endpoints()));
        assertThat(Files.readString(files.table())).contains("\"/b\"");
    }

    /** One namespace that cannot be listed must not keep from all others what they changed or revoked. */
    @Test
    void aTableFromDiskDoesNotWaitForANamespaceThatCannotBeListed() throws IOException {
        take(redirects("gone.example.com"));
        updater.settle(varnish, Slices.NONE, START);

        updater = keeper();
        route("/b");
        var partly = new Slices(PersistentMap.empty(), Set.of("other"), Map.of("shop", "403"), Set.of(), 1);
        assertThat(updater.settle(varnish, partly, START)).contains(UnlistedNamespaces.PATIENCE);
        updater.settle(varnish, partly, START.plus(UnlistedNamespaces.PATIENCE).minusMillis(1));
        assertThat(Files.readString(files.table())).contains("gone.example.com");
        updater.settle(varnish, partly, START.plus(UnlistedNamespaces.PATIENCE));
        assertThat(Files.readString(files.table())).contains("\"/b\"").doesNotContain("gone.example.com");
    }

    @Test
    void aNewPodDoesNotWaitForANamespaceThatCannotBeListed() throws IOException {
        route("/a");
        var partly = new Slices(PersistentMap.empty(), Set.of("other"), Map.of("shop", "403"), Set.of(), 1);
        updater.settle(varnish, partly, START);
        assertThat(files.table()).doesNotExist();
        updater.settle(varnish, partly, START.plus(UnlistedNamespaces.PATIENCE));
        assertThat(Files.readString(files.table())).contains("\"/a\"", "\"shop/a:80\":{\"backends\":[]}");
    }

    /** It is the API server that is away then: what was served before is better than nothing. */
    @Test
    void aTableFromDiskStaysWhileNoNamespaceCanBeListed() throws IOException {
        redirect("/a");
        updater.settle(varnish, Slices.NONE, START);
        String before = Files.readString(files.table());

        updater = keeper();
        route("/b");
        var away = new Slices(PersistentMap.empty(), Set.of(), Map.of("shop", "away"), Set.of(), 1);
        updater.settle(varnish, away, START);
        updater.settle(varnish, away, START.plus(Timing.usual().tableFromDisk()).minusMillis(1));
        assertThat(Files.readString(files.table())).isEqualTo(before);
        updater.settle(varnish, away, START.plus(Timing.usual().tableFromDisk()));
        assertThat(Files.readString(files.table())).contains("\"/b\"");
    }

    /** They are served with what there is room for, and the status of their routes says so. */
    @Test
    void servicesWithMoreEndpointsThanThereIsRoomForAreKnownAndReported() throws IOException {
        route("/a");
        var cut = new Slices(PersistentMap.empty(), Set.of("shop"), Map.of(), Set.of(new Name("shop", "a")), 1);
        updater.settle(varnish, cut, START);
        assertThat(Files.readString(files.table())).contains("\"/a\"", "\"shop/a:80\":{\"backends\":[]}");
        assertThat(updater.state().refusals()).singleElement().satisfies(refusal -> {
            assertThat(refusal.route()).isEqualTo("shop/r");
            assertThat(refusal.field()).isEqualTo("some endpoints of shop/a");
            assertThat(refusal.effect()).isEqualTo("partial");
        });
        updater.settle(varnish, LISTED, START);
        assertThat(updater.state().refusals()).isEmpty();
    }

    @Test
    void aVclIsTriedOnceAndTheOneBeforeIsWhatTheNextVarnishdGets() throws IOException {
        VclUpdater vcl = vcl();
        assertThat(vcl.settle(varnish, Optional.of("vcl 4.1; # one"), START)).isTrue();
        varnish.outcomes.add(new VclOutcome.Refused(files.candidate() + ":3:1: no"));
        vcl.settle(varnish, Optional.of("vcl 4.1; # two"), START);
        vcl.settle(varnish, Optional.of("vcl 4.1; # two"), START);
        assertThat(varnish.loaded).containsExactly("vcl 4.1; # one", "vcl 4.1; # two");
        assertThat(vcl.state().refused()).contains("main.vcl:3:1: no");
        assertThat(meters.vclErrors.count()).isEqualTo(1);
        assertThat(meters.vclReloads.count()).isEqualTo(1);
        assertThat(vcl.state().name()).contains("vcl-1");
        assertThat(files.readVcl()).contains("vcl 4.1; # one");

        var next = vcl();
        next.settle(varnish, Optional.empty(), START);
        assertThat(varnish.loaded).last().isEqualTo("vcl 4.1; # one");
        assertThat(next.state().name()).isPresent();
    }

    @Test
    void aRefusalGoesWhenTheVclIsTakenBack() throws IOException {
        VclUpdater vcl = vcl();
        Optional<String> good = Optional.of("vcl 4.1; # good");
        vcl.settle(varnish, good, START);
        varnish.outcomes.add(new VclOutcome.Refused("no"));
        vcl.settle(varnish, Optional.of("vcl 4.1; # bad"), START);
        assertThat(vcl.state().refused()).contains("no");
        vcl.settle(varnish, Optional.empty(), START);
        assertThat(vcl.state().refused()).as("nothing else is wanted").contains("no");

        assertThat(vcl.settle(varnish, good, START)).isTrue();
        assertThat(vcl.state().refused()).isEmpty();
        assertThat(varnish.loaded).as("it is live already").hasSize(2);

        varnish.outcomes.add(new VclOutcome.Refused("still no"));
        vcl.settle(varnish, Optional.of("vcl 4.1; # bad"), START);
        assertThat(vcl.state().refused()).as("and is tried again").contains("still no");
    }

    @Test
    void aRefusalNamesTheUsersLine() throws IOException {
        VclUpdater vcl = vcl();
        varnish.outcomes.add(new VclOutcome.Refused(files.candidate() + ":4:2: Symbol not found: x"));
        String text = """
                vcl 4.1;
                # The user's part: ConfigMap shop/vcl, key user.vcl
                # one
                 x

                # The end of the user's part.
                """;
        vcl.settle(varnish, Optional.of(text), START);
        assertThat(vcl.state().refused())
                .contains("ConfigMap shop/vcl, user.vcl, line 2, column 2: Symbol not found: x");
    }

    @Test
    void aRefusalOfAnImportNamesTheUsersLine() throws IOException {
        VclUpdater vcl = vcl();
        varnish.outcomes.add(new VclOutcome.Refused(files.candidate() + ":5:8: Could not find VMOD nosuch"));
        var user = new UserVcl(new Name("shop", "vcl"), "user.vcl", "vcl 4.1;\nimport std;\n  import nosuch;\n");
        String text = ((MainVcl.Text) MainVcl.merge("/run/ghost.json", Optional.of(user))).vcl();
        assertThat(text.lines().toList().get(4)).isEqualTo("import nosuch;");
        vcl.settle(varnish, Optional.of(text), START);
        assertThat(vcl.state().refused())
                .contains("ConfigMap shop/vcl, user.vcl, line 3, column 10: Could not find VMOD nosuch");
    }

    @Test
    void aRefusedVclIsTriedAgainWhereNothingElseServes() throws IOException {
        VclUpdater vcl = vcl();
        varnish.outcomes.add(new VclOutcome.Refused("the compiler was killed"));
        Optional<String> only = Optional.of("vcl 4.1; # only");
        vcl.settle(varnish, only, START);
        vcl.settle(varnish, only, START.plus(VclUpdater.AGAIN).minusMillis(1));
        assertThat(varnish.loaded).hasSize(1);
        vcl.settle(varnish, only, START.plus(VclUpdater.AGAIN));
        assertThat(vcl.state().name()).isPresent();
        assertThat(vcl.state().refused()).isEmpty();
    }

    @Test
    void aPodThatStartsWhileTheVclIsRefusedBeginsWithTheLastGoodOne() throws IOException {
        VclUpdater vcl = vcl();
        Optional<String> good = Optional.of("vcl 4.1; # good");
        varnish.outcomes.add(new VclOutcome.Live("vcl-1", Duration.ofMillis(1)));
        varnish.outcomes.add(new VclOutcome.Refused("no"));
        vcl.beginWith(good);
        vcl.settle(varnish, Optional.of("vcl 4.1; # bad"), START);
        assertThat(varnish.loaded).containsExactly("vcl 4.1; # good", "vcl 4.1; # bad");
        assertThat(vcl.state().name()).isPresent();
        assertThat(vcl.state().refused()).contains("no");
        assertThat(files.readVcl()).isEqualTo(good);

        vcl.beginWith(Optional.of("vcl 4.1; # another"));
        vcl.settle(varnish, Optional.of("vcl 4.1; # bad"), START);
        assertThat(varnish.loaded).as("it has its own by then").hasSize(2);
    }

    @Test
    void theLastGoodVclMayComeAfterTheRefusal() throws IOException {
        VclUpdater vcl = vcl();
        varnish.outcomes.add(new VclOutcome.Refused("no"));
        Optional<String> bad = Optional.of("vcl 4.1; # bad");
        vcl.settle(varnish, bad, START);
        assertThat(vcl.state().name()).isEmpty();
        varnish.outcomes.add(new VclOutcome.Live("vcl-1", Duration.ofMillis(1)));
        varnish.outcomes.add(new VclOutcome.Refused("no"));
        vcl.beginWith(Optional.of("vcl 4.1; # good"));
        vcl.settle(varnish, bad, START);
        assertThat(vcl.state().name()).contains("vcl-1");
        assertThat(vcl.state().refused()).contains("no");
    }

    @Test
    void aVarnishdThatDoesNotAnswerIsAskedAgain() throws IOException {
        VclUpdater vcl = vcl();
        varnish.outcomes.add(new VclOutcome.Unknown("busy"));
        assertThat(vcl.settle(varnish, Optional.of("vcl 4.1;"), START)).isFalse();
        assertThat(vcl.settle(varnish, Optional.of("vcl 4.1;"), START)).isTrue();
        assertThat(vcl.state().name()).isPresent();
    }

    @Test
    void changesOfAFileAreServedAndLeft() throws IOException {
        RoutingFile file = redirects("a.example.com", "b.example.com");
        take(file);
        updater.settle(varnish, Slices.NONE, START);
        assertThat(Files.readString(files.table())).contains("a.example.com", "b.example.com");
        Optional<String> whole = updater.liveRouting();

        take(file.with("{\"version\":2,\"vhosts\":{\"a.example.com\":null,\"c.example.com\":" + redirect() + "}}"));
        updater.settle(varnish, Slices.NONE, START);
        assertThat(Files.readString(files.table()))
                .contains("b.example.com", "c.example.com")
                .doesNotContain("a.example.com");
        assertThat(updater.liveRouting()).isNotEqualTo(whole);

        int reloads = varnish.reloads;
        take(redirects("b.example.com", "c.example.com"));
        updater.settle(varnish, Slices.NONE, START);
        assertThat(varnish.reloads).as("the same as a whole is no other table").isEqualTo(reloads);

        take(file);
        updater.settle(varnish, Slices.NONE, START);
        assertThat(Files.readString(files.table())).contains("a.example.com").doesNotContain("c.example.com");
        assertThat(updater.liveRouting()).isEqualTo(whole);

        take(file.with("{"));
        assertThat(updater.faults()).containsKey("routing.json");
        updater.settle(varnish, Slices.NONE, START);
        assertThat(Files.readString(files.table())).contains("a.example.com");
    }

    private static RoutingFile redirects(String... hosts) {
        String vhosts = Arrays.stream(hosts)
                .map(host -> "\"" + host + "\":" + redirect())
                .collect(Collectors.joining(","));
        return new RoutingFile(("{\"version\":2,\"listeners\":{\"w\":{\"port\":80,\"protocol\":\"HTTP\"}},\"vhosts\":{"
                        + vhosts + "}}")
                .getBytes(UTF_8));
    }

    private static String redirect() {
        return "{\"routes\":[{\"path_match\":{\"type\":\"Exact\",\"value\":\"/\"},\"service\":\"\",\"weight\":0,"
                + "\"filters\":{\"request_redirect\":{\"scheme\":\"https\"}},\"listeners\":[\"w\"],"
                + "\"route_name\":\"shop/r\",\"origin\":{\"rule\":0,\"match\":0},\"priority\":1}]}";
    }

    private void take(RoutingFile file) {
        updater.take(
                new PodConfig(
                        "1", Optional.of(file), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty()),
                START);
    }

    private VclUpdater vcl() throws IOException {
        return new VclUpdater(files, meters);
    }

    private TableUpdater keeper() throws IOException {
        return new TableUpdater(files, Set.of("http-80"), meters, Timing.usual());
    }

    private void redirect(String path) {
        take(path, "\"service\":\"\",\"weight\":0,\"filters\":{\"request_redirect\":{\"scheme\":\"https\"}}");
    }

    private void route(String path) {
        take(path, "\"service\":\"a\",\"namespace\":\"shop\",\"port\":8080,\"service_port\":80,\"weight\":1");
    }

    private void take(String path, String what) {
        String file =
                "{\"version\":2,\"listeners\":{\"w\":{\"port\":80,\"protocol\":\"HTTP\"}},\"vhosts\":{\"*\":{\"routes\":[{"
                        + "\"path_match\":{\"type\":\"Exact\",\"value\":\"" + path + "\"}," + what
                        + ",\"listeners\":[\"w\"],\"route_name\":\"shop/r\",\"origin\":{\"rule\":0,\"match\":0},\"priority\":1}]}}}";
        take(new RoutingFile(file.getBytes(UTF_8)));
    }
}
