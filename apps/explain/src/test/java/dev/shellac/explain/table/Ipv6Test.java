package dev.shellac.explain.table;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class Ipv6Test {
    @ParameterizedTest
    @CsvSource({
        "2001:0db8:0::1, 2001:db8::1",
        "::, ::",
        "::1, ::1",
        "1::, 1::",
        "1:0:0:2:0:0:0:3, 1:0:0:2::3",
        "1:0:0:2:3:0:0:4, 1::2:3:0:0:4",
        "1:2:3:4:5:6:0:8, 1:2:3:4:5:6:0:8",
        "FE80::A, fe80::a",
        "::ffff:10.0.0.1, ::ffff:10.0.0.1",
        "::FFFF:0a00:1, ::ffff:10.0.0.1",
        "64:ff9b::192.0.2.1, 64:ff9b::c000:201"
    })
    void oneAddressHasOneSpelling(String written, String spelled) {
        assertThat(Ipv6.shortened(written)).isEqualTo(spelled);
    }
}
