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
        Path folder = Path.of("../../ghost/ghost-vmod/vcl");
        assertThat(GatewayVcl.PREAMBLE.getBytes(UTF_8)).isEqualTo(Files.readAllBytes(folder.resolve("preamble.vcl")));
        assertThat(GatewayVcl.POSTAMBLE.getBytes(UTF_8)).isEqualTo(Files.readAllBytes(folder.resolve("postamble.vcl")));
    }

    @Test
    void whatWeImportIsWhatThePreambleImports() {
        assertThat(MainVcl.OWN_IMPORTS)
                .containsExactlyInAnyOrderElementsOf(imports("import ghost;" + GatewayVcl.PREAMBLE));
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

    /** The compiler finds it at the top, where the user did not write it. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "import cookie; | 8 | 1 | 8",
                "`vcl 4.1;\nimport std;\n\timport cookie;` | 8 | 3 | 16",
                "`sub a { } import cookie;` | 1 | 1 | 11",
                "`import std;\nimport # here\n  cookie;` | 8 | 2 | 1",
                "`# a\nimport cookie from \"/# The user's line 7, column 7:\";\nimport cookie;` | 13 | 2 | 13"
            })
    void aPlaceInAnImportBecomesTheUsers(String text, int compilers, int line, int column) {
        String whole = ((MainVcl.Text) merge(text)).vcl();
        List<String> lines = whole.lines().toList();
        int top = lines.indexOf(lines.stream()
                        .filter(found -> found.startsWith("import cookie"))
                        .findFirst()
                        .orElseThrow())
                + 1;
        assertThat(UserVclPlace.inUsersLines("/tmp/main.vcl:" + top + ":" + compilers + ": no", "/tmp/main.vcl", whole))
                .isEqualTo("ConfigMap infra/vcl, user.vcl, line " + line + ", column " + column + ": no");
        assertThat(lines.get(lines.indexOf("import ghost;"))).isEqualTo("import ghost;");
        assertThat(said(lines.indexOf("import ghost;") + 1, whole)).startsWith("/tmp/main.vcl:3:7: ");
    }

    @Test
    void anImportOfSeveralLinesStaysWhereItIs() {
        String text = "import cookie from {\"/a\n# The user's part: ConfigMap x/y, key z\"};";
        assertThat(statements(text)).isEqualTo(new UserPart.Statements(List.of(), text));
    }

    @Test
    void everyPlaceBecomesTheUsers() {
        String whole = ((MainVcl.Text) merge("backend x none;\nimport cookie;\nbackend x none;")).vcl();
        List<String> lines = whole.lines().toList();
        int first = lines.indexOf("backend x none;") + 1;
        String words =
                "/tmp/main.vcl:%d:9: Backend 'x' redefined.\nFirst definition: /tmp/main.vcl:%d:9\n/tmp/main.vcl:3:1, /tmp/main.vcl:%d:8, /tmp/main.vcl2:1:1, /tmp/main.vcl:99999:1"
                        .formatted(first + 2, first, lines.indexOf("import cookie;") + 1);
        assertThat(UserVclPlace.inUsersLines(words, "/tmp/main.vcl", whole)).isEqualTo("""
                ConfigMap infra/vcl, user.vcl, line 3, column 9: Backend 'x' redefined.
                First definition: ConfigMap infra/vcl, user.vcl, line 1, column 9
                /tmp/main.vcl:3:1, ConfigMap infra/vcl, user.vcl, line 2, column 8, /tmp/main.vcl2:1:1, /tmp/main.vcl:99999:1""");
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
                "sub a { /* b } | 1 | 9 | /* has no end",
                "`\n\nset a = {\"b;` | 3 | 9 | {\" has no end",
                "`x\n\"\"\" \"\"` | 2 | 1 | \"\"\" has no end",
                "`a \"b\nc\"` | 1 | 3 | \" has no end",
                "C{ int a; } | 1 | 1 | C{ has no end",
                "`sub a {\n if (b) {\n}` | 1 | 7 | { is not closed",
                "`sub a { }\n} sub b {` | 2 | 1 | } closes nothing",
                "sub nonsense | 1 | 1 | the last statement has no end",
                "`import std;\n import` | 2 | 2 | the last statement has no end",
                "`sub a { }\nbackend b none # ;` | 2 | 1 | the last statement has no end",
                "`sub a {\n\t}\n\t\t}` | 3 | 17 | } closes nothing",
                "`# \u00e9\nset a = \"\u00e9\" + {\"b` | 2 | 16 | {\" has no end"
            })
    void aPartWithoutAnEndIsRefused(String text, int line, int column, String why) {
        var refused = new MainVcl.Refused(line, column, why);
        assertThat(merge(text)).isEqualTo(refused);
        assertThat(UserVclPlace.words(part(text), refused))
                .isEqualTo("ConfigMap infra/vcl, user.vcl, line " + line + ", column " + column + ": " + why);
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
        assertThat(imports(text)).containsExactly(expected);
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
                "import;",
                "C{ int a; }C",
                "# a comment alone",
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

    private static List<String> imports(String text) {
        return statements(text).imports().stream()
                .map(UserPart.Import::statement)
                .toList();
    }

    private static UserPart.Statements statements(String text) {
        return (UserPart.Statements) UserPart.of(text);
    }

    private static MainVcl merge(String text) {
        return MainVcl.merge(PATH, Optional.of(part(text)));
    }

    private static UserVcl part(String text) {
        return new UserVcl(new Name("infra", "vcl"), "user.vcl", text);
    }
}
