package dev.shellac.varnishconfig.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class JsonWriterTest {
    private static final ObjectMapper JACKSON = new ObjectMapper();

    @Test
    void anyTextComesBack() throws JsonProcessingException {
        var random = new Random(11);
        for (int i = 0; i < 2_000; i++) {
            String text = random.ints(12, 0, i % 2 == 0 ? 0x80 : 0x11000)
                    .filter(c -> c < 0xd800 || c > 0xdfff)
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString();
            String json =
                    JsonWriter.compact().open('{').field(text, text).close('}').toString();
            assertThat(JACKSON.readTree(json).get(text).asText()).isEqualTo(text);
        }
    }

    @Test
    void halfACharacterIsReplaced() {
        assertThat(JsonWriter.compact().text("a\ud83dz\ude00").toString()).isEqualTo("\"a\ufffdz\ufffd\"");
        assertThat(JsonWriter.compact().text("\ud83d\ude00").toString()).isEqualTo("\"\ud83d\ude00\"");
    }

    @Test
    void indentedOrOnOneLine() {
        assertThat(example(JsonWriter.compact())).isEqualTo("{\"a\":1,\"b\":[\"x\",true],\"c\":{},\"d\":[{\"e\":2}]}");
        assertThat(example(JsonWriter.indented(0))).isEqualTo("""
                {
                  "a": 1,
                  "b": [
                    "x",
                    true
                  ],
                  "c": {},
                  "d": [
                    {
                      "e": 2
                    }
                  ]
                }""");
    }

    private static String example(JsonWriter json) {
        json.open('{').field("a", 1).name("b").open('[').text("x").flag(true).close(']');
        json.name("c").open('{').close('}').field("left out", List.of());
        json.name("d").open('[').open('{').field("e", 2).close('}').close(']');
        return json.close('}').toString();
    }
}
