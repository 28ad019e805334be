package dev.shellac.varnishd.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.varnishd.cli.CliOutcome.Answered;
import dev.shellac.varnishd.cli.CliOutcome.NotSent;
import dev.shellac.varnishd.cli.CliOutcome.Unknown;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CliLinkTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final CliCommand LIST = CliCommand.of("vcl.list");
    private static final CliCommand LOAD = CliCommand.of("vcl.load", "a", "/a.vcl");

    private final CliSecret secret = CliSecret.draw(new Random(1));
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private CliLink link;

    CliLinkTest() throws IOException {
        link = CliLink.open(secret);
    }

    @BeforeEach
    void open() throws IOException {
        link.close();
        link = CliLink.open(secret);
    }

    @AfterEach
    void close() {
        link.close();
        threads.close();
    }

    @Test
    void provesThatItKnowsTheSecretWithoutSayingIt() throws Exception {
        try (FakeManager manager = FakeManager.connect(link)) {
            assertThat(manager.hear()).isEqualTo("auth " + secret.answer(FakeManager.CHALLENGE));
        }
        assertThat(secret.toString()).isEqualTo("CliSecret(65 bytes)");
    }

    @Test
    void answersAreReadWholeHoweverTheyAreCut() throws Exception {
        String text = "line\n".repeat(40_000) + "ü";
        try (FakeManager manager = FakeManager.call(link)) {
            Future<CliOutcome> outcome = threads.submit(() -> link.send(LIST, LONG));
            assertThat(manager.hear()).isEqualTo("vcl.list");
            manager.raw("20");
            manager.raw("0 %-8d\n".formatted(text.getBytes(UTF_8).length));
            manager.raw(text.substring(0, 10));
            manager.raw(text.substring(10) + "\n");
            assertThat(outcome.get()).isEqualTo(new Answered(200, text));
        }
    }

    @Test
    void wordsArriveAsTheyAre() throws Exception {
        try (FakeManager manager = FakeManager.call(link)) {
            var command = CliCommand.of("param.set", "cc_command", "a \"b\" \\c\td\ne", "", "#x");
            Future<CliOutcome> outcome = threads.submit(() -> link.send(command, LONG));
            assertThat(manager.hear()).isEqualTo("param.set cc_command \"a \\\"b\\\" \\\\c\\td\\ne\" \"\" \"#x\"");
            manager.say(106, "no");
            assertThat(outcome.get()).isEqualTo(new Answered(106, "no"));
        }
    }

    @Test
    void aCommandThatWasOnItsWayIsNotRepeatedOnTheNextConnection() throws Exception {
        Future<CliOutcome> outcome;
        try (FakeManager manager = FakeManager.call(link)) {
            outcome = threads.submit(() -> link.send(LOAD, LONG));
            assertThat(manager.hear()).isEqualTo("vcl.load a /a.vcl");
            manager.raw("200 100     \nVCL com");
        }
        assertThat(outcome.get()).isInstanceOf(Unknown.class);
        try (FakeManager manager = FakeManager.call(link)) {
            Future<CliOutcome> next = threads.submit(() -> link.send(LIST, LONG));
            assertThat(manager.hear()).isEqualTo("vcl.list");
            manager.say(200, "");
            assertThat(next.get()).isEqualTo(new Answered(200, ""));
        }
    }

    @Test
    void aConnectionThatDroppedWhileIdleCostsNoCommand() throws Exception {
        try (FakeManager manager = FakeManager.call(link)) {
            Future<CliOutcome> first = threads.submit(() -> link.send(LIST, LONG));
            manager.hear();
            manager.say(200, "there");
            assertThat(first.get()).isEqualTo(new Answered(200, "there"));
        }
        while (link.isConnected()) {
            Thread.sleep(1);
        }
        Future<CliOutcome> outcome = threads.submit(() -> link.send(LIST, LONG));
        try (FakeManager manager = FakeManager.call(link)) {
            assertThat(manager.hear()).isEqualTo("vcl.list");
            manager.say(200, "here");
            assertThat(outcome.get()).isEqualTo(new Answered(200, "here"));
        }
    }

    @Test
    void aLateAnswerIsNotTakenForThatOfTheNextCommand() throws Exception {
        try (FakeManager manager = FakeManager.call(link)) {
            assertThat(link.send(CliCommand.of("ping"), Duration.ofMillis(300))).isInstanceOf(Unknown.class);
            assertThat(manager.hear()).isEqualTo("ping");
            assertThat(manager.isHungUpOn()).isTrue();
        }
        assertThat(link.send(LIST, SHORT)).isInstanceOf(NotSent.class);
    }

    @Test
    void anAnswerToNoCommandIsNotTakenForOne() throws Exception {
        try (FakeManager manager = FakeManager.call(link)) {
            manager.say(200, "nobody asked");
            manager.say(200, "nobody asked");
            assertThat(manager.isHungUpOn()).isTrue();
        }
        assertThat(link.send(LIST, SHORT)).isInstanceOf(NotSent.class);
    }

    @Test
    void whatIsNoAnswerEndsTheConnection() throws Exception {
        try (FakeManager manager = FakeManager.call(link)) {
            Future<CliOutcome> outcome = threads.submit(() -> link.send(LIST, LONG));
            manager.hear();
            manager.raw("HTTP/1.1 400 Bad Request\r\n\r\n");
            assertThat(outcome.get()).isInstanceOf(Unknown.class);
            assertThat(outcome.get().words()).contains("not an answer of varnishd's");
        }
    }

    @Test
    void whoMustNotWaitIsToldThatTheManagerIsBusy() throws Exception {
        try (FakeManager manager = FakeManager.call(link)) {
            Future<CliOutcome> slow = threads.submit(() -> link.send(LOAD, LONG));
            manager.hear();
            assertThat(link.trySend(CliCommand.of("ping"), LONG))
                    .isEqualTo(new NotSent("varnishd is busy with vcl.load a /a.vcl"));
            assertThat(link.busyWith()).contains(LOAD);
            manager.say(106, "no");
            assertThat(slow.get()).isEqualTo(new Answered(106, "no"));
            assertThat(link.busyWith()).isEmpty();
        }
    }

    @Test
    void nobodyThereIsSaidAtOnce() {
        assertThat(link.trySend(LIST, LONG))
                .isEqualTo(new NotSent("no connection to varnishd's command line: varnishd has not called yet"));
    }

    @Test
    void aRefusedProofIsTheReasonThatThereIsNoConnection() throws Exception {
        try (FakeManager manager = FakeManager.connect(link)) {
            manager.hear();
            manager.say(500, "");
            assertThat(manager.isHungUpOn()).isTrue();
        }
        assertThat(link.send(LIST, SHORT).words()).contains("varnishd has another secret than we");
    }

    @Test
    void whoeverAsksForNoProofIsHungUpOn() throws Exception {
        try (FakeManager stranger = FakeManager.greeting(link, 200, "welcome")) {
            assertThat(stranger.isHungUpOn()).isTrue();
        }
        try (FakeManager stranger = FakeManager.greeting(link, 107, "too short")) {
            assertThat(stranger.isHungUpOn()).isTrue();
        }
        assertThat(link.trySend(LIST, LONG).words())
                .contains("greeted with 107 instead of the challenge of its secret: too short");
    }

    @Test
    void onlyItsOwnerReadsTheSecret(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("secret");
        Files.writeString(file, "of an earlier run, for all to see");
        secret.write(file);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(Files.size(file)).isEqualTo(65);
    }
}
