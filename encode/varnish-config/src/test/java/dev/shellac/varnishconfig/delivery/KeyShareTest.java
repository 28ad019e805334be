package dev.shellac.varnishconfig.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Who has a half of the secret can seal, and nobody else. */
final class KeyShareTest {
    private final KeyShare operator = share();
    private final KeyShare pod = share();
    private final Delivery delivery = delivery("{}", 7);

    @Test
    void bothSidesHaveTheSameSeal() {
        String seal = operator.with(pod.open()).orElseThrow().of(delivery);
        assertThat(seal(pod, operator).isOn(delivery, seal)).isTrue();
    }

    @Test
    void othersHaveAnother() {
        KeyShare stranger = share();
        assertThat(seal(pod, operator).isOn(delivery, seal(stranger, pod).of(delivery)))
                .isFalse();
        assertThat(seal(pod, operator).isOn(delivery, seal(stranger, operator).of(delivery)))
                .isFalse();
        assertThat(seal(pod, operator).isOn(delivery, "")).isFalse();
    }

    @Test
    void itIsOnAllOfTheDelivery() {
        Seal seal = seal(pod, operator);
        String good = seal.of(delivery);
        assertThat(seal.isOn(delivery("{ }", 7), good)).isFalse();
        assertThat(seal.isOn(delivery("{}", 8), good)).isFalse();
        assertThat(seal.isOn(new Delivery(delivery.stamp(), "another", "{}"), good))
                .isFalse();
    }

    @Test
    void whatIsNoKeyIsNone() {
        assertThat(operator.with("")).isEmpty();
        assertThat(operator.with("no base64!")).isEmpty();
        assertThat(operator.with("AAAA")).isEmpty();
    }

    @Test
    void secretsAreNotPrinted() {
        assertThat(operator.toString()).contains(operator.open());
        assertThat(seal(pod, operator)).hasToString("Seal");
    }

    private Delivery delivery(String json, long number) {
        return new Delivery(new Delivery.Stamp(operator.open(), number), "sha256:0", json);
    }

    private static Seal seal(KeyShare one, KeyShare other) {
        return one.with(other.open()).orElseThrow();
    }

    private static KeyShare share() {
        return new KeyShare(KeyShare.keys().generateKeyPair());
    }
}
