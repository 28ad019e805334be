package dev.shellac.model.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class MessageTextTest {
    @Test
    void fiveAreNamed() {
        List<Integer> numbers = IntStream.rangeClosed(1, 8).boxed().toList();
        assertThat(MessageText.list(", ", numbers.subList(0, 5), String::valueOf))
                .isEqualTo("1, 2, 3, 4, 5");
        assertThat(MessageText.list(", ", numbers, String::valueOf)).isEqualTo("1, 2, 3, 4, 5 and 3 more");
        assertThat(MessageText.list(", ", List.of())).isEmpty();
    }

    @Test
    void ofLongOnesFewerAreNamedAndOneAlways() {
        assertThat(MessageText.list("; ", Collections.nCopies(9, "a".repeat(100))))
                .isEqualTo("a".repeat(100) + "; " + "a".repeat(100) + " and 7 more");
        assertThat(MessageText.list("; ", Collections.nCopies(9, "a".repeat(500))))
                .isEqualTo("a".repeat(500) + " and 8 more");
    }

    @Test
    void aTextIsCutBetweenCharacters() {
        assertThat(MessageText.cut("abc", 3)).isEqualTo("abc");
        assertThat(MessageText.cut("abcd", 3)).isEqualTo("abc");
        assertThat(MessageText.cut("ab\uD83D\uDE00", 3)).isEqualTo("ab");
        assertThat(MessageText.cut("ab\uD83D\uDE00", 4)).isEqualTo("ab\uD83D\uDE00");
    }
}
