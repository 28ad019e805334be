package dev.shellac.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.decode.Finding.Severity;
import dev.shellac.decode.tree.TreeReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a folder holds, the answer is a finding with file and line, and the good objects stay. */
final class BadInputTest {
    private static final String GOOD = Yaml.route("{parentRefs: [{name: gw}]}");

    @Test
    void aSyntaxErrorNamesItsLine() {
        assertThat(Yaml.messages("apiVersion: v1\nkind: [\nmetadata: }\n"))
                .singleElement()
                .asString()
                .startsWith("test.yaml:3: cannot be read: ");
    }

    @Test
    void aBrokenFileTakesNoOtherWithIt() {
        Decoded decoded = Decoder.decode(List.of(Source.of("a.yaml", "kind: ["), Source.of("b.yaml", GOOD)));
        assertThat(decoded.objects()).hasSize(1);
        assertThat(decoded.errors())
                .singleElement()
                .extracting(found -> found.at().file())
                .isEqualTo("a.yaml");
    }

    @Test
    void aBrokenFileIsNotUsedInPart() {
        assertThat(Yaml.decode(GOOD + "---\nkind: [").objects()).isEmpty();
    }

    @Test
    void aHalfWrittenFileIsRefused() {
        String half = GOOD.substring(0, GOOD.indexOf("name: gw"));
        assertThat(Yaml.decode(half).objects()).isEmpty();
        assertThat(Yaml.decode(half).errors()).isNotEmpty();
    }

    @Test
    void halfOfAJsonObjectIsRefusedWithItsLine() {
        Decoded decoded = Decoder.decode(List.of(Source.of("a.json", "{\"apiVersion\": \"v1\",\n\"kind\": \"Ser")));
        assertThat(decoded.errors()).singleElement().asString().startsWith("a.json:2: cannot be read: ");
    }

    @Test
    void aFileThatIsTooLargeIsNotRead() {
        byte[] large = "#".repeat(5_000_000).getBytes(StandardCharsets.UTF_8);
        assertThat(Decoder.decode(List.of(Source.of("large.yaml", large))).errors())
                .singleElement()
                .asString()
                .isEqualTo("large.yaml:1: cannot be read: the file has 5000000 bytes; at most " + TreeReader.MOST_BYTES
                        + " are read: split it");
    }

    @Test
    void fourMegabytesOfObjectsAreRead() {
        String object = GOOD + "---\n";
        String text = object.repeat(3_900_000 / object.length());
        Decoded decoded = Yaml.decode(text);
        assertThat(decoded.objects()).hasSize(1);
        assertThat(decoded.errors())
                .hasSizeGreaterThan(10_000)
                .allSatisfy(finding -> assertThat(finding.path()).isEqualTo("metadata.name"));
    }

    @Test
    void bytesThatAreNoTextAreRefused() {
        byte[] bytes = {'a', ':', ' ', (byte) 0xC3, (byte) 0x28, '\n'};
        assertThat(Decoder.decode(List.of(Source.of("a.yaml", bytes))).errors()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "---\n---\n", "# only a comment\n", "null\n"})
    void nothingIsNoMistake(String text) {
        assertThat(Yaml.decode(text)).isEqualTo(new Decoded(List.of(), List.of()));
    }

    @Test
    void anObjectWithoutKind() {
        assertThat(Yaml.messages("\n\napiVersion: v1\nmetadata: {name: x}\n"))
                .containsExactly("test.yaml:3: kind: missing: without it nobody knows what this object is");
    }

    @Test
    void textInsteadOfAnObject() {
        assertThat(Yaml.messages("hello\n"))
                .containsExactly("test.yaml:1: must be an object with apiVersion, kind and metadata, not text");
    }

    @Test
    void aSecondObjectOfTheSameNameIsNotUsed() {
        Decoded decoded = Yaml.decode(GOOD + "---\n" + GOOD);
        assertThat(decoded.objects()).hasSize(1);
        assertThat(decoded.findings())
                .singleElement()
                .asString()
                .isEqualTo("test.yaml:6: HTTPRoute ns/x: metadata.name: there is already one of this name, at"
                        + " test.yaml:1; this one is not used");
    }

    @Test
    void aFieldTwiceIsASyntaxError() {
        assertThat(Yaml.messages("apiVersion: v1\nkind: Service\nkind: Service\n"))
                .singleElement()
                .asString()
                .startsWith("test.yaml:3: cannot be read: Duplicate");
    }

    @Test
    void anAliasIsRefused() {
        assertThat(Yaml.messages("a: &x [1]\nb: *x\n"))
                .containsExactly("test.yaml:2: cannot be read: an alias (*name): aliases are not read, write the value"
                        + " out");
    }

    @Test
    void depthHasALimit() {
        assertThat(Yaml.messages("[".repeat(200))).singleElement().asString().contains("nested deeper than 100");
    }

    @Test
    void aKindOfSomebodyElseIsLeftAlone() {
        assertThat(Yaml.decode("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\n")
                        .findings())
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.severity()).isEqualTo(Severity.NOTE);
                    assertThat(finding.message()).isEqualTo("a Deployment.apps is not for us, it is left alone");
                });
    }

    @Test
    void aKindThatIsAlmostRight() {
        assertThat(Yaml.messages("apiVersion: gateway.networking.k8s.io/v1\nkind: HttpRoute\nmetadata: {name: x}\n"))
                .containsExactly("test.yaml:1: kind: there is no HttpRoute; do you mean HTTPRoute?");
    }

    @Test
    void aKindThatWeDoNotSupportIsNamed() {
        assertThat(Yaml.decode("apiVersion: gateway.networking.k8s.io/v1\nkind: GRPCRoute\nmetadata: {name: x}\n")
                        .findings())
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.severity()).isEqualTo(Severity.WARNING);
                    assertThat(finding.message()).isEqualTo("GRPCRoute is not supported, it has no effect");
                });
    }

    @Test
    void aVersionThatIsNotServed() {
        assertThat(Yaml.messages(Yaml.object("gateway.networking.k8s.io/v2", "HTTPRoute", "{}")))
                .containsExactly(
                        "test.yaml:1: HTTPRoute ns/x: apiVersion: version v2 is not served; v1 and v1beta1 are");
    }

    @Test
    void theItemsOfAListAreReadWithTheirLines() {
        Decoded decoded = Yaml.decode("""
                apiVersion: v1
                kind: List
                items:
                - apiVersion: v1
                  kind: Namespace
                  metadata: {name: a}
                - apiVersion: v1
                  kind: Namespace
                  metadata: {name: b}
                """);
        assertThat(decoded.findings()).isEmpty();
        assertThat(decoded.objects()).extracting(found -> found.at().line()).containsExactly(4, 7);
    }

    @Test
    void aValueOfASecretIsNeverRepeated() {
        assertThat(Yaml.messages("""
                        apiVersion: v1
                        kind: Secret
                        metadata: {name: x}
                        data: {password: "hunter2!"}
                        """)).containsExactly("test.yaml:4: Secret x: data.password: is not base64");
    }
}
