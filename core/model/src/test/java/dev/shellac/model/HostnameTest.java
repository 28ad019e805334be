package dev.shellac.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class HostnameTest {
    private static Hostname host(String text) {
        return text.equals("any") ? Hostname.ANY : Hostname.parse(text).orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "*", "*.", "*.*.com", "a.*.com", "-a.com", "a-.com", "a..com", "a.com.", "a_b.com", "a b"})
    void whatIsNoHostname(String text) {
        assertThat(Hostname.parse(text)).isEmpty();
    }

    @Test
    void aNameHasAtMost253Characters() {
        assertThat(Hostname.parse("a".repeat(253))).isPresent();
        assertThat(Hostname.parse("a".repeat(254))).isEmpty();
        String tooLong = "a".repeat(254);
        assertThatThrownBy(() -> new Hostname(tooLong)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void caseDoesNotMatter() {
        assertThat(Hostname.parse("Shop.Example.COM")).contains(new Hostname("shop.example.com"));
    }

    @ParameterizedTest
    @CsvSource({
        "any, any, true",
        "any, a.com, true",
        "any, *.a.com, true",
        "a.com, any, false",
        "*.a.com, any, false",
        "a.com, a.com, true",
        "a.com, b.a.com, false",
        "*.a.com, b.a.com, true",
        "*.a.com, c.b.a.com, true",
        "*.a.com, *.b.a.com, true",
        "*.a.com, *.a.com, true",
        "*.a.com, a.com, false",
        "*.a.com, xa.com, false",
        "*.b.a.com, *.a.com, false",
        "b.a.com, *.a.com, false",
    })
    void covers(String wide, String narrow, boolean expected) {
        assertThat(host(wide).covers(host(narrow))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "any, *.a.com, *.a.com",
        "*.a.com, b.a.com, b.a.com",
        "b.a.com, *.a.com, b.a.com",
        "*.a.com, *.b.a.com, *.b.a.com",
    })
    void theNarrowerOfTwoIsTheirIntersection(String one, String other, String both) {
        assertThat(host(one).intersection(host(other))).contains(host(both));
        assertThat(host(one).intersects(host(other))).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"a.com, b.com", "*.a.com, a.com", "*.a.com, *.b.com"})
    void namesApart(String one, String other) {
        assertThat(host(one).intersection(host(other))).isEqualTo(Optional.empty());
        assertThat(host(one).intersects(host(other))).isFalse();
        assertThat(host(other).intersects(host(one))).isFalse();
    }

    @Test
    void exactNamesFirstThenWildcardsByLengthThenAny() {
        assertThat(Stream.of("any", "*.com", "b.com", "*.longer.com", "longer.com", "a.com")
                        .map(HostnameTest::host)
                        .sorted())
                .extracting(Hostname::value)
                .containsExactly("longer.com", "a.com", "b.com", "*.longer.com", "*.com", "*");
    }
}
