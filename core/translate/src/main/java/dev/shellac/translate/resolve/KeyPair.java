package dev.shellac.translate.resolve;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.shellac.model.Hostname;
import dev.shellac.model.Secret;
import dev.shellac.model.core.SecretObject;
import dev.shellac.translate.resolve.Pem.Block;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPrivateKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What a TLS Secret holds: a chain of certificates and the key of its first, or a reason why it cannot be used. */
public sealed interface KeyPair {
    /**
     * It can be used. That it is expired is no obstacle: whoever has a clock may say so.
     *
     * @param names the hosts that the first certificate is for
     * @param notAfter of the certificate of the chain that expires first
     * @param pem the chain and the key, and nothing else of what the Secret holds
     */
    record Good(Set<Hostname> names, Instant notAfter, Secret pem) implements KeyPair {
        public Good {
            names = Set.copyOf(names);
        }
    }

    /** It cannot. */
    record Bad(String why) implements KeyPair {}

    String CERTIFICATE = SecretObject.CERTIFICATE;
    String KEY = SecretObject.KEY;

    /** Bytes of a chain and its key as PEM. Chains have a few KiB; all certificates of a Gateway share what a pod can hold. */
    int MOST_BYTES = SecretObject.MOST_BYTES;

    /** What it holds; equal Secrets are read once. */
    static KeyPair of(SecretObject secret) {
        return KeyPairMemory.of(secret);
    }

    /** The same, read anew. */
    static KeyPair read(SecretObject secret) {
        Optional<Bad> large = tooLarge(secret);
        if (large.isPresent()) {
            return large.get();
        }
        Optional<String> fault = fault(secret, CERTIFICATE, "CERTIFICATE").or(() -> fault(secret, KEY, "PRIVATE KEY"));
        if (fault.isPresent()) {
            return new Bad(fault.get());
        }
        List<Block> chain = blocks(secret, CERTIFICATE, "CERTIFICATE");
        Block key = blocks(secret, KEY, "PRIVATE KEY").getFirst();
        try {
            List<X509Certificate> certificates = Pem.certificates(chain);
            X509Certificate first = certificates.getFirst();
            Optional<String> unfit = KeyBounds.fault(certificates).or(() -> Fit.fault(first.getPublicKey(), key));
            return unfit.isPresent()
                    ? new Bad(unfit.get())
                    : new Good(names(first), notAfter(certificates), pem(chain, key));
        } catch (CertificateException e) {
            return new Bad("a certificate in " + CERTIFICATE + " that cannot be read: " + e.getMessage());
        }
    }

    private static Optional<Bad> tooLarge(SecretObject secret) {
        int bytes = length(secret, CERTIFICATE) + length(secret, KEY);
        return bytes <= MOST_BYTES
                ? Optional.empty()
                : Optional.of(new Bad(bytes + " bytes in " + CERTIFICATE + " and " + KEY + ", at most " + MOST_BYTES
                        + " are taken: leave out certificates that are not part of the chain"));
    }

    private static int length(SecretObject secret, String key) {
        return Optional.ofNullable(secret.values().get(key)).map(Secret::length).orElse(0);
    }

    private static Optional<String> fault(SecretObject secret, String key, String label) {
        Secret value = secret.values().get(key);
        return value == null
                ? Optional.of("no " + key)
                : value.<Optional<String>>reveal(bytes -> Pem.fault(new String(bytes, US_ASCII), label))
                        .map(fault -> fault + " in " + key);
    }

    private static List<Block> blocks(SecretObject secret, String key, String label) {
        return Optional.ofNullable(secret.values().get(key))
                .<List<Block>>map(value -> value.reveal(bytes -> Pem.blocks(new String(bytes, US_ASCII), label)))
                .orElse(List.of());
    }

    private static Instant notAfter(List<X509Certificate> certificates) {
        return certificates.stream()
                .map(certificate -> certificate.getNotAfter().toInstant())
                .min(Instant::compareTo)
                .orElse(Instant.EPOCH);
    }

    // RFC 9525: names are dNSNames; the subject's common name is none.
    private static Set<Hostname> names(X509Certificate certificate) {
        byte[] alternatives = certificate.getExtensionValue("2.5.29.17");
        var names = new TreeSet<Hostname>();
        if (alternatives != null) {
            Der.dnsNames(alternatives).stream()
                    .flatMap(name -> Hostname.parse(name).stream())
                    .forEach(names::add);
        }
        return names;
    }

    private static Secret pem(List<Block> chain, Block key) {
        Base64.Encoder encoder = Base64.getMimeEncoder(64, new byte[] {'\n'});
        var text = new StringBuilder();
        for (Block block : chain) {
            text.append(printed(block, encoder));
        }
        return Secret.of(text.append(printed(key, encoder)).toString().getBytes(US_ASCII));
    }

    private static String printed(Block block, Base64.Encoder encoder) {
        return "-----BEGIN " + block.label() + "-----\n" + encoder.encodeToString(block.der()) + "\n-----END "
                + block.label() + "-----\n";
    }

    /** Whether a key is that of a certificate. */
    final class Fit {
        private static final byte[] ANYTHING = {1, 2, 3};

        private Fit() {}

        static Optional<String> fault(PublicKey of, Block key) {
            if (key.label().startsWith("ENCRYPTED")) {
                return Optional.of("a key in " + KEY + " that needs a password");
            }
            try {
                return fits(of, key) ? Optional.empty() : Optional.of(misfit());
            } catch (GeneralSecurityException | RuntimeException e) {
                // Of some damaged keys Java says it in exceptions that it does not declare: an Ed25519 key without a
                // byte is an index out of bounds.
                return Optional.of(misfit());
            }
        }

        private static String misfit() {
            return "a key in " + KEY + " that is not that of the certificate in " + CERTIFICATE;
        }

        private static boolean fits(PublicKey of, Block key) throws GeneralSecurityException {
            byte[] der = key.label().equals("PRIVATE KEY") ? key.der() : Der.wrapped(key.der(), of.getEncoded());
            PrivateKey secret = KeyFactory.getInstance(of.getAlgorithm()).generatePrivate(new PKCS8EncodedKeySpec(der));
            if (of instanceof RSAPublicKey rsa && secret instanceof RSAPrivateKey pair) {
                return rsa.getModulus().equals(pair.getModulus());
            }
            Signature signature = Signature.getInstance(of instanceof ECPublicKey ? "SHA256withECDSA" : "EdDSA");
            signature.initSign(secret);
            signature.update(ANYTHING);
            byte[] signed = signature.sign();
            signature.initVerify(of);
            signature.update(ANYTHING);
            return signature.verify(signed);
        }
    }
}
