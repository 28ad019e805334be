package dev.shellac.varnishconfig.changes;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Who has a half of the secret can seal, and nobody else. */
final class KeyAgreementShareTest {
    private final KeyAgreementShare operator = share();
    private final KeyAgreementShare pod = share();
    private final ChangeSet changeSet = changeSet("{}", 7);

    @Test
    void bothSidesHaveTheSameSeal() {
        String signature = operator.with(pod.open()).orElseThrow().of(changeSet);
        assertThat(signature(pod, operator).verifies(changeSet, signature)).isTrue();
    }

    @Test
    void othersHaveAnother() {
        KeyAgreementShare stranger = share();
        assertThat(signature(pod, operator)
                        .verifies(changeSet, signature(stranger, pod).of(changeSet)))
                .isFalse();
        assertThat(signature(pod, operator)
                        .verifies(changeSet, signature(stranger, operator).of(changeSet)))
                .isFalse();
        assertThat(signature(pod, operator).verifies(changeSet, "")).isFalse();
    }

    @Test
    void itIsOnAllOfTheDelivery() {
        ChangeSignature signature = signature(pod, operator);
        String good = signature.of(changeSet);
        assertThat(signature.verifies(changeSet("{ }", 7), good)).isFalse();
        assertThat(signature.verifies(changeSet("{}", 8), good)).isFalse();
        assertThat(signature.verifies(new ChangeSet(changeSet.revision(), "another", "{}"), good))
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
        assertThat(signature(pod, operator)).hasToString("ChangeSignature");
    }

    private ChangeSet changeSet(String json, long number) {
        return new ChangeSet(new ChangeSet.Revision(operator.open(), number), "sha256:0", json);
    }

    private static ChangeSignature signature(KeyAgreementShare one, KeyAgreementShare other) {
        return one.with(other.open()).orElseThrow();
    }

    private static KeyAgreementShare share() {
        return new KeyAgreementShare(KeyAgreementShare.keys().generateKeyPair());
    }
}
