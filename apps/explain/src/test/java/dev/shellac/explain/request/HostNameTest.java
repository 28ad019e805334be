package dev.shellac.explain.request;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The router's own list of hosts that are and are not. */
final class HostNameTest {
    @ParameterizedTest
    @CsvSource({
        "Example.com:8080, example.com",
        "example.com., example.com",
        "example.com.:80, example.com",
        "example.com:, example.com",
        "[::1]:8080, [::1]",
        "[::1], [::1]"
    })
    void portDotAndCaseDoNotCount(String header, String host) {
        assertThat(HostName.parse(header)).hasValue(new HostName(host));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":80", ".", "[::1", "[::1]x", "[::1]:8a", "example.com:80a", "::1", "a:1:2"})
    void whatCannotBeLookedUpIsNone(String header) {
        assertThat(HostName.parse(header)).isEmpty();
    }

    @Test
    void aHostHasAtMost255Bytes() {
        assertThat(HostName.parse("a".repeat(255))).isPresent();
        assertThat(HostName.parse("a".repeat(256))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"a:8080, 8080", "[::1]:81, 81"})
    void thePortFollowsTheLastColon(String header, int port) {
        assertThat(HostName.port(header)).hasValue(port);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[::1]", "80", "a", "a:0", "a:99999"})
    void noPort(String header) {
        assertThat(HostName.port(header)).isEmpty();
    }
}
