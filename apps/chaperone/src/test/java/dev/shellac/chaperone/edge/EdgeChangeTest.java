package dev.shellac.chaperone.edge;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.chaperone.edge.EdgeChange.Kind;
import dev.shellac.model.Secret;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class EdgeChangeTest {
    private static final Map<String, String> FILES =
            Map.of("a.pem", "a", "b.pem", "b", "port-443.list", "a.pem a.com\nb.pem b.com\n", "port-443.ca", "ca");

    private static HaproxyRelease candidate(String config, Map<String, String> changed) {
        var files = new HashMap<>(FILES);
        files.putAll(changed);
        return new HaproxyRelease(
                config,
                files.entrySet().stream()
                        .collect(Collectors.toMap(
                                Map.Entry::getKey,
                                file -> Secret.of(file.getValue().getBytes(UTF_8)))));
    }

    private static EdgeChange to(HaproxyRelease next) {
        return EdgeChange.between(candidate("x", Map.of()), next);
    }

    @Test
    void whatARunningProcessTakes() {
        assertThat(to(candidate("x", Map.of("b.pem", "c"))))
                .isEqualTo(new EdgeChange(Kind.CERTIFICATES, List.of("b.pem")));
        // Larger than the runtime socket takes, and authorities, whose sessions would go on.
        assertThat(to(candidate("x", Map.of("b.pem", "c".repeat(20_000)))).kind())
                .isEqualTo(Kind.LARGE_CERTIFICATE);
        assertThat(to(candidate("x", Map.of("port-443.ca", "other"))).kind()).isEqualTo(Kind.NEW_PROCESS);
        assertThat(to(candidate("x", Map.of("port-443.list", "a.pem b.com\n"))).kind())
                .isEqualTo(Kind.NEW_PROCESS);
        assertThat(to(candidate("x", Map.of("c.pem", "c"))).kind()).isEqualTo(Kind.NEW_PROCESS);
        assertThat(to(candidate("y", Map.of())).kind()).isEqualTo(Kind.NEW_PROCESS);
    }

    @Test
    void anAuthorityThatWasTakenBackIsUrgent() {
        HaproxyRelease both = candidate(asking("required"), Map.of("port-443.ca", pem("one") + pem("other")));
        HaproxyRelease one = candidate(asking("required"), Map.of("port-443.ca", pem("one")));
        assertThat(kind(both, one)).isEqualTo(Kind.REVOCATION);
        assertThat(kind(one, candidate(asking("required"), Map.of("port-443.ca", pem("other")))))
                .isEqualTo(Kind.REVOCATION);
        // With other changes, too.
        assertThat(kind(both, candidate(asking("required") + "more", Map.of("port-443.ca", pem("one"), "c.pem", "c"))))
                .isEqualTo(Kind.REVOCATION);
        assertThat(kind(candidate(asking("optional"), Map.of("port-443.ca", pem("one"))), one))
                .as("who was let in without a certificate is not any more")
                .isEqualTo(Kind.REVOCATION);
    }

    @Test
    void oneMoreAuthorityIsNot() {
        HaproxyRelease both = candidate(asking("required"), Map.of("port-443.ca", pem("one") + pem("other")));
        HaproxyRelease one = candidate(asking("required"), Map.of("port-443.ca", pem("one")));
        assertThat(kind(one, both)).isEqualTo(Kind.NEW_PROCESS);
        assertThat(kind(one, candidate(asking("optional"), Map.of("port-443.ca", pem("other")))))
                .as("everybody is let in")
                .isEqualTo(Kind.NEW_PROCESS);
        assertThat(kind(candidate("x", Map.of()), one)).as("a new port").isEqualTo(Kind.NEW_PROCESS);
    }

    @Test
    void theSameAuthoritiesInOtherWordsAreTheSame() {
        HaproxyRelease one = candidate(asking("required"), Map.of("port-443.ca", pem("b25lIGF1dGhvcml0eQ==")));
        for (String same : List.of(
                "# renewed in spring\n" + pem("b25lIGF1dGhvcml0eQ=="),
                pem("b25lIGF1dGhvcml0eQ==").replace("\n", "\r\n"),
                pem("b25lIGF1\ndGhvcml0\neQ=="),
                pem("b25lIGF1dGhvcml0eQ==") + "\nthe end\n" + pem("b25lIGF1dGhvcml0eQ=="))) {
            assertThat(kind(one, candidate(asking("required"), Map.of("port-443.ca", same))))
                    .as(same)
                    .isEqualTo(Kind.NEW_PROCESS);
        }
        // What cannot be read is itself alone.
        for (String other : List.of("", "words", pem("c29tZWJvZHk="), "b25lIGF1dGhvcml0eQ==")) {
            assertThat(kind(one, candidate(asking("required"), Map.of("port-443.ca", other))))
                    .as(other)
                    .isEqualTo(Kind.REVOCATION);
        }
    }

    private static Kind kind(HaproxyRelease now, HaproxyRelease next) {
        return EdgeChange.between(now, next).kind();
    }

    private static String asking(String verify) {
        return "frontend https-443\n    bind *:10100 defer-accept ssl crt-list \"${EDGE_TLS}/port-443.list\" strict-sni"
                + " alpn h2,http/1.1 ca-file port-443.ca verify " + verify + "\n";
    }

    private static String pem(String content) {
        return "-----BEGIN CERTIFICATE-----\n" + content + "\n-----END CERTIFICATE-----\n";
    }

    @Test
    void certificatesRotateWhileTheRestWaits() {
        HaproxyRelease now = candidate("x", Map.of());
        HaproxyRelease next = candidate("y", Map.of("a.pem", "new", "b.pem", "c".repeat(20_000), "c.pem", "c"));
        assertThat(EdgeChange.meanwhile(now, next)).isEqualTo(candidate("x", Map.of("a.pem", "new")));
    }

    @Test
    void whatIsBadIsReplacedByWhatWasGood() {
        HaproxyRelease before = candidate("x", Map.of());
        HaproxyRelease asked = candidate("x", Map.of("a.pem", "new", "b.pem", "bad", "c.pem", "bad"));
        HaproxyRelease mended = EdgeChange.mended(asked, Set.of("b.pem", "c.pem"), before);
        assertThat(mended.files()).containsEntry("b.pem", Secret.of("b".getBytes(UTF_8)));
        assertThat(mended.files()).containsEntry("a.pem", Secret.of("new".getBytes(UTF_8)));
        assertThat(mended.files()).doesNotContainKey("c.pem");
    }

    @Test
    void processesShareTheMemory() {
        EdgeBudget budget = EdgeBudget.of("global\n    presetenv EDGE_MEMORY 33554432\n    maxconn 472\n");
        assertThat(budget).isEqualTo(new EdgeBudget(32 << 20, 472));
        assertThat(budget.hasRoom(20 << 20, 0)).isTrue();
        assertThat(budget.hasRoom(21 << 20, 0)).isFalse();
        assertThat(budget.hasRoom(10 << 20, 320)).isTrue();
        assertThat(budget.hasRoom(10 << 20, 321)).isFalse();
        assertThat(budget.connectionsBeside(0)).isEqualTo(472);
        assertThat(budget.connectionsBeside(10 << 20)).isEqualTo(472 - 196);
        assertThat(budget.connectionsBeside(100 << 20)).isEqualTo(64);
        assertThat(EdgeBudget.of("")).isEqualTo(new EdgeBudget(256 << 20, 64));
    }
}
