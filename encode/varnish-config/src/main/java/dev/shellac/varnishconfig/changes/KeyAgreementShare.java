package dev.shellac.varnishconfig.changes;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.KDF;
import javax.crypto.KeyAgreement;
import javax.crypto.spec.HKDFParameterSpec;

/**
 * One side of a secret that two processes come to have without telling it: each has half of it for itself, and lets everybody know the other half.
 * Operator and pod read each other's where nobody else can write. It cannot be printed.
 */
public final class KeyAgreementShare {
    private static final String KEYS = "X25519";

    private final KeyPair pair;
    private final String open;

    /** What makes keys for it; by chance, so whoever has some asks for them. */
    public static KeyPairGenerator keys() {
        try {
            return KeyPairGenerator.getInstance(KEYS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has " + KEYS, e);
        }
    }

    /** Of keys that nobody else has. */
    public KeyAgreementShare(KeyPair pair) {
        this.pair = pair;
        this.open = Base64.getEncoder().encodeToString(pair.getPublic().getEncoded());
    }

    /** The half that others may know. */
    public String open() {
        return open;
    }

    /** What this side and another one have in common; nothing where that is no half of ours. */
    public Optional<ChangeSignature> with(String other) {
        try {
            PublicKey key = KeyFactory.getInstance(KEYS)
                    .generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(other)));
            KeyAgreement agreement = KeyAgreement.getInstance(KEYS);
            agreement.init(pair.getPrivate());
            agreement.doPhase(key, true);
            String halves = Stream.of(open, other).sorted().collect(Collectors.joining("\n"));
            var secret = HKDFParameterSpec.ofExtract()
                    .addIKM(agreement.generateSecret())
                    .thenExpand(halves.getBytes(US_ASCII), ChangeSignature.BYTES);
            return Optional.of(
                    new ChangeSignature(KDF.getInstance("HKDF-SHA256").deriveKey(ChangeSignature.ALGORITHM, secret)));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    @Override
    public String toString() {
        return "KeyAgreementShare(" + open + ")";
    }
}
