package dev.shellac.varnishconfig.vcl;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.shellac.model.Name;
import dev.shellac.translate.resolve.UserVcl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class MainVclTest {
    private static final String PATH = "/run/gateway/ghost.json";

    @Test
    void ourPartsAreThoseOfGhost() throws IOException {
        Path folder = Path.of("../ghost/ghost-vmod/vcl");
        assertThat(GatewayVcl.PREAMBLE.getBytes(UTF_8)).isEqualTo(Files.readAllBytes(folder.resolve("preamble.vcl")));
        assertThat(GatewayVcl.POSTAMBLE.getBytes(UTF_8)).isEqualTo(Files.readAllBytes(folder.resolve("postamble.vcl")));
    }

    @Test
    void whatWeImportIsWhatThePreambleImports() {
        assertThat(MainVcl.OWN_IMPORTS)
                .containsExactlyInAnyOrderElementsOf(
                        statements("import ghost;" + GatewayVcl.PREAMBLE).imports());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\n\t\r\n"})
    void anEmptyPartIsNone(String text) {
        assertThat(merge(text)).isEqualTo(MainVcl.merge(PATH, Optional.empty()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/a\"b", "/a\nb", "/a\u0000b"})
    void aPathThatCannotBeQuotedIsOurFault(String path) {
        assertThatThrownBy(() -> MainVcl.merge(path, Optional.empty())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aNameCannotLeaveItsComment() {
        var part = new UserVcl(new Name("n", "m"), "k\nsub vcl_recv { return (pass); }\r", "sub vcl_hit { }");
        assertThat(((MainVcl.Text) MainVcl.merge(PATH, Optional.of(part))).vcl())
                .contains("# The user's part: ConfigMap n/m, key k?sub vcl_recv { return (pass); }?\nsub vcl_hit");
    }

    @Test
    void theCompilersPlaceBecomesTheUsers() {
        String whole = ((MainVcl.Text) merge("vcl 4.1;\nimport cookie;\nsub vcl_hit { } # here")).vcl();
        List<String> lines = whole.lines().toList();
        int line = lines.indexOf("sub vcl_hit { } # here") + 1;
        assertThat(said(line, whole)).isEqualTo("ConfigMap infra/vcl, user.vcl, line 3, column 7: no\nmore words");
        assertThat(said(line - 2, whole)).isEqualTo("ConfigMap infra/vcl, user.vcl, line 1, column 7: no\nmore words");
        for (int ours : List.of(1, line - 3, line + 1, lines.size())) {
            assertThat(said(ours, whole)).isEqualTo("/tmp/main.vcl:" + ours + ":7: no\nmore words");
        }
        assertThat(UserVclPlace.inUsersLines("no place", "/tmp/main.vcl", whole))
                .isEqualTo("no place");
    }

    @Test
    void aUsersCommentCannotMoveThePlace() {
        String user = "# one\n# The user's part: ConfigMap x/y, key z\n# The end of the user's part.\nsub a { }";
        String whole = ((MainVcl.Text) merge(user)).vcl();
        int line = whole.lines().toList().indexOf("sub a { }") + 1;
        assertThat(said(line, whole)).startsWith("ConfigMap infra/vcl, user.vcl, line 4, column 7: ");
    }

    @Test
    void aWholeWithoutAUsersPartHasOurLines() {
        String whole = ((MainVcl.Text) MainVcl.merge(PATH, Optional.empty())).vcl();
        assertThat(said(3, whole)).isEqualTo("/tmp/main.vcl:3:7: no\nmore words");
    }

    private static String said(int line, String whole) {
        return UserVclPlace.inUsersLines("/tmp/main.vcl:" + line + ":7: no\nmore words", "/tmp/main.vcl", whole);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "sub a { /* b } | 1 | /* has no end",
                "`\n\nset a = {\"b;` | 3 | {\" has no end",
                "`x\n\"\"\" \"\"` | 2 | \"\"\" has no end",
                "`a \"b\nc\"` | 1 | \" has no end",
                "C{ int a; } | 1 | C{ has no end",
                "`sub a {\n if (b) {\n}` | 1 | { is not closed",
                "`sub a { }\n} sub b {` | 2 | } closes nothing"
            })
    void aPartWithoutAnEndIsRefused(String text, int line, String why) {
        assertThat(merge(text)).isEqualTo(new MainVcl.Refused(line, why));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "import std; | import std",
                "` import\n  std\n;` | import std",
                "import std from \"/a b/c.so\"; | import std from \"/a b/c.so\"",
                "vcl 4.0;import std; | import std",
                "sub a { }import std; | import std",
                "import /* import x; */ std; | import std",
                "`import a; # import b;\nimport a;` | import a"
            })
    void anImportIsFound(String text, String expected) {
        assertThat(statements(text).imports()).containsExactly(expected);
        assertThat(statements(text).rest()).hasSameSizeAs(text).doesNotContain("vcl 4");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sub a { import std; }",
                "# import std;",
                "// import std;",
                "/* import std; */",
                "sub a { set b = \"; import std;\"; }",
                "sub a { set b = {\"} import std; {\"\"}; }",
                "sub a { C{ } import std; }C }",
                "important std;",
                "import { }",
                "import",
                "import;",
                "vcl 4.2;",
                "vcl 5.0;",
                "vcl 4.1 4.1;",
                "backend import { }",
                "probe vcl { }",
                "sub a { vcl 4.0; }"
            })
    void allElseStays(String text) {
        assertThat(statements(text)).isEqualTo(new UserPart.Statements(List.of(), text));
    }

    private static UserPart.Statements statements(String text) {
        return (UserPart.Statements) UserPart.of(text);
    }

    private static MainVcl merge(String text) {
        return MainVcl.merge(PATH, Optional.of(new UserVcl(new Name("infra", "vcl"), "user.vcl", text)));
    }
}
