package dev.shellac.varnishconfig.delivery;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.shellac.varnishconfig.wire.Digest;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.Optional;
import java.util.stream.Stream;
import javax.crypto.KeyAgreement;

/**
 * One side of a secret that two processes come to have without telling it: each has half of it for itself, and lets everybody know the other half.
 * Operator and pod read each other's where nobody else can write. It cannot be printed.
 */
public final class KeyShare {
    /** The kind of keys that it takes. */
    public static final String KEYS = "X25519";

    private final KeyPair pair;
    private final String open;

    /** Of keys that nobody else has. */
    public KeyShare(KeyPair pair) {
        this.pair = pair;
        this.open = Base64.getEncoder().encodeToString(pair.getPublic().getEncoded());
    }

    /** The half that others may know. */
    public String open() {
        return open;
    }

    /** What this side and another one have in common; nothing where that is no half of ours. */
    public Optional<Seal> with(String other) {
        try {
            PublicKey key = KeyFactory.getInstance(KEYS)
                    .generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(other)));
            KeyAgreement agreement = KeyAgreement.getInstance(KEYS);
            agreement.init(pair.getPrivate());
            agreement.doPhase(key, true);
            byte[][] halves = Stream.of(open, other)
                    .sorted()
                    .map(half -> half.getBytes(US_ASCII))
                    .toArray(byte[][]::new);
            return Optional.of(new Seal(Digest.bytes(agreement.generateSecret(), halves[0], halves[1])));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    @Override
    public String toString() {
        return "KeyShare(" + open + ")";
    }
}
