package dev.shellac.translate.resolve;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PatternsTest {
    @ParameterizedTest
    @ValueSource(strings = {"/v[0-9]+/.*", "(?i)abc", "^a|b$", "\\d{1,3}", "\\(\\(\\(", ""})
    void usable(String regex) {
        assertThat(Patterns.fault(regex)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "(?=a), invalid or unsupported Perl syntax",
        "(a)\\1, invalid escape sequence",
        "(a, missing closing )",
        "[a, missing closing ]",
        "a{1001}, invalid repeat count",
    })
    void notInTheLanguage(String regex, String words) {
        assertThat(Patterns.fault(regex).orElse("")).contains(words);
    }

    @Test
    void sizesHaveLimits() {
        assertThat(Patterns.fault("a".repeat(1024))).isEmpty();
        assertThat(Patterns.fault("a".repeat(1025)).orElse("")).contains("longer than 1024 bytes");
        assertThat(Patterns.fault("é".repeat(513)).orElse("")).contains("longer than 1024 bytes");
        assertThat(Patterns.fault("(".repeat(64) + ")".repeat(64))).isEmpty();
        assertThat(Patterns.fault("(".repeat(65) + ")".repeat(65)).orElse("")).contains("nested deeper");
        assertThat(Patterns.fault("(a{1000}){1000}")).isPresent();
        assertThat(Patterns.fault("a{900}b{900}c{900}d{900}e{900}f{900}").orElse(""))
                .contains("too large");
    }
}
