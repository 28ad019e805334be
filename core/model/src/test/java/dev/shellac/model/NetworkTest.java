package dev.shellac.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class NetworkTest {
    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8,10.0.0.0/8",
        "10.1.2.3,10.1.2.3/32",
        "0.0.0.0/0,0.0.0.0/0",
        "fd00::/8,fd00::/8",
        "::1,::1/128",
        "::ffff:10.0.0.1/128,::ffff:10.0.0.1/128"
    })
    void networks(String text, String network) {
        assertThat(Network.parse(text).map(Network::toString)).contains(network);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "10.0.0.0/33",
                "10.0.0/8",
                "fd00::/129",
                "/8",
                "10.0.0.0/",
                "10.0.0.0/-1",
                "10.0.0.0/08",
                "10.0.0.0/999",
                "a.example",
                "10.0.0.0/8;",
                "\"10.0.0.0\"/8",
                "10.0.0.0/8\n",
                "fe80::1%eth0",
                "1::2::3"
            })
    void others(String text) {
        assertThat(Network.parse(text)).isEmpty();
    }
}
