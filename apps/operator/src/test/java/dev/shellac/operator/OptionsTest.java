package dev.shellac.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class OptionsTest {
    @Test
    void anAddressIsAPortWithOrWithoutAHost() throws Exception {
        assertThat(Options.address(":8080")).isEqualTo(new InetSocketAddress(8080));
        assertThat(Options.address("127.0.0.1:0"))
                .isEqualTo(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
        assertThat(Options.address("[::1]:8080")).isEqualTo(new InetSocketAddress(InetAddress.ofLiteral("::1"), 8080));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "8080", ":", ":http", ":65536", ":-1"})
    void whatIsNoAddressIsRefusedInWords(String text) {
        assertThatThrownBy(() -> Options.address(text))
                .isInstanceOf(Options.Bad.class)
                .hasMessage(text + " is not an address such as :8080");
    }

    @Test
    void whatIsLeftOfTheOperatorBeforeHasNoEffectAndSaysSo() {
        assertThat(Options.leftOver(Map.of("GATEWAY_CLASS_NAME", "varnish")))
                .containsExactly("GATEWAY_CLASS_NAME=varnish has no effect: every GatewayClass with the controllerName"
                        + " varnish-software.com/gateway is served; remove the variable");
        assertThat(Options.leftOver(Map.of("GATEWAY_IMAGE", "ghcr.io/varnish/gateway-chaperone:v0.23.0")))
                .singleElement()
                .asString()
                .contains("name one of shellac-gateway");
        assertThat(Options.leftOver(
                        Map.of("GATEWAY_IMAGE", "docker.io/shellac/shellac-gateway:0.1.0", "LOG_LEVEL", "x")))
                .isEmpty();
    }

    @Test
    void aListHasCommas() {
        assertThat(Options.list(" a, b,,c ")).containsExactly("a", "b", "c");
        assertThat(Options.list("")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"debug,DEBUG", "INFO,INFO", "'',INFO", "warn,WARNING", "warning,WARNING", "error,ERROR"})
    void levelsHaveTheirUsualNames(String text, System.Logger.Level level) {
        assertThat(Options.level(text)).isEqualTo(Optional.of(level));
    }

    @Test
    void anUnknownLevelIsNone() {
        assertThat(Options.level("loud")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"DEBUG,debug", "Info,info", "'',info", "Warning,warn", "ERROR,error", "loud,info"})
    void gatewayPodsAreToldALevelThatTheyKnow(String text, String word) {
        assertThat(Options.word(Options.level(text))).isEqualTo(word);
    }

    @Test
    void yesAndNoHaveSeveralWordsAndOthersAreRefused() throws Exception {
        assertThat(Options.isYes("SETTING", "true") && Options.isYes("SETTING", "1") && Options.isYes("SETTING", "Yes"))
                .isTrue();
        assertThat(Options.isYes("SETTING", "false") || Options.isYes("SETTING", "0") || Options.isYes("SETTING", ""))
                .isFalse();
        assertThatThrownBy(() -> Options.isYes("SETTING", "perhaps"))
                .isInstanceOf(Options.Bad.class)
                .hasMessage("SETTING is true or false, not perhaps");
    }
}
