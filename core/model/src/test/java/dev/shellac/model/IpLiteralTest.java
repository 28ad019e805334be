package dev.shellac.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class IpLiteralTest {
    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "10.0.0.1", "255.255.255.255", "192.0.2.100"})
    void v4(String text) {
        assertThat(IpLiteral.isV4(text)).isTrue();
        assertThat(IpLiteral.isV6(text)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1",
                "1.2.3",
                "1.2.3.4.5",
                "01.2.3.4",
                "256.1.1.1",
                "1.2.3.",
                "1.2.3.x",
                " 1.2.3.4",
                "1.2.3.4\n"
            })
    void notV4(String text) {
        assertThat(IpLiteral.isV4(text)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "::",
                "::1",
                "2001:db8::1",
                "1:2:3:4:5:6:7:8",
                "::ffff:10.0.0.1",
                "1:2:3:4:5:6:1.2.3.4",
                "fe80::",
                "1:2:3:4:5:6:7::"
            })
    void v6(String text) {
        assertThat(IpLiteral.isV6(text)).isTrue();
        assertThat(IpLiteral.isV4(text)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                ":::",
                "1::2::3",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:8:9",
                "1:2:3:4::5:6:7:8",
                "12345::",
                "g::",
                "fe80::1%eth0",
                "[::1]",
                "1.2.3.4::",
                "::1.2.3",
                "1:2:3:4:5:6:7:1.2.3.4"
            })
    void notV6(String text) {
        assertThat(IpLiteral.isV6(text)).isFalse();
    }
}
