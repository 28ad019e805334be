package dev.shellac.translate.resolve;

import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.EdECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.EllipticCurve;
import java.security.spec.NamedParameterSpec;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Kinds and sizes of keys that HAProxy may compute with. It signs in its event loop: one signature with RSA of 16,384 bits takes 0.1 to 0.3 s,
 * in which no connection of any listener goes on, and anybody can ask for one by a handshake.
 */
final class KeyBounds {
    /** RSA keys of a certificate and its chain. */
    static final int MOST_RSA_BITS = 4096;

    /** RSA keys of authorities, with which HAProxy only verifies: some 50 times as fast as a signature. */
    static final int MOST_AUTHORITY_BITS = 8192;

    private static final int LEAST_RSA_BITS = 2048;
    /** P-256, P-384 and P-521; others have fields of the same sizes. */
    private static final Set<EllipticCurve> CURVES = Set.of(curve("secp256r1"), curve("secp384r1"), curve("secp521r1"));

    private KeyBounds() {}

    /** Why a chain, whose first certificate is that of the server, is not served. */
    static Optional<String> fault(List<X509Certificate> chain) {
        return fault(chain.getFirst().getPublicKey())
                .or(() -> chain.stream()
                        .flatMap(certificate -> large(certificate, MOST_RSA_BITS).stream())
                        .findFirst());
    }

    /** Why authorities are not trusted with the certificates of clients. */
    static Optional<String> authorityFault(List<X509Certificate> authorities) {
        return authorities.stream()
                .flatMap(authority -> large(authority, MOST_AUTHORITY_BITS).stream())
                .findFirst();
    }

    private static Optional<String> fault(PublicKey key) {
        return switch (key) {
            case RSAPublicKey rsa
            when bits(rsa) < LEAST_RSA_BITS ->
                Optional.of("a key of " + bits(rsa) + " bits, at least " + LEAST_RSA_BITS + " are needed");
            case RSAPublicKey _ -> Optional.empty(); // its upper bound is that of the chain
            case ECPublicKey ec when CURVES.contains(ec.getParams().getCurve()) -> Optional.empty();
            case EdECPublicKey ed
            when ed.getParams().getName().equals(NamedParameterSpec.ED25519.getName()) -> Optional.empty();
            default ->
                Optional.of("a key of the kind " + kind(key) + ": use RSA of " + LEAST_RSA_BITS + " to " + MOST_RSA_BITS
                        + " bits, ECDSA with P-256, P-384 or P-521, or Ed25519");
        };
    }

    private static Optional<String> large(X509Certificate certificate, int most) {
        return certificate.getPublicKey() instanceof RSAPublicKey rsa && bits(rsa) > most
                ? Optional.of("an RSA key of " + bits(rsa) + " bits, at most " + most + " are taken")
                : Optional.empty();
    }

    private static EllipticCurve curve(String name) {
        try {
            AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
            parameters.init(new ECGenParameterSpec(name));
            return parameters.getParameterSpec(ECParameterSpec.class).getCurve();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e); // every JDK has them
        }
    }

    private static int bits(RSAPublicKey key) {
        return key.getModulus().bitLength();
    }

    private static String kind(PublicKey key) {
        return switch (key) {
            case EdECPublicKey ed -> ed.getParams().getName();
            case ECPublicKey ec -> "ECDSA with " + ec.getParams();
            default -> key.getAlgorithm();
        };
    }
}
