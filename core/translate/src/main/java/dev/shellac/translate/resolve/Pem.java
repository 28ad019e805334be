package dev.shellac.translate.resolve;

import java.io.ByteArrayInputStream;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * PEM blocks whose content is one DER sequence of the right length. That finds what is truncated, empty or of another kind;
 * what a sequence holds is for whoever knows its kind.
 */
final class Pem {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\\s]*)-----END \\1-----");

    private Pem() {}

    /** A block, as it is between its lines. */
    record Block(String label, String base64) {
        /** The bytes; none where it is not base64. */
        byte[] der() {
            try {
                return Base64.getMimeDecoder().decode(base64.strip());
            } catch (IllegalArgumentException e) {
                return new byte[0];
            }
        }

        // It may be a key.
        @Override
        public String toString() {
            return label;
        }
    }

    /** What is wrong with the text as a list of {@code CERTIFICATE} or {@code … PRIVATE KEY} blocks. */
    static Optional<String> fault(String text, String label) {
        List<Block> blocks = blocks(text, label);
        return blocks.stream()
                .filter(block -> !Der.isSequence(block.der()))
                .findFirst()
                .map(block -> "a PEM block " + block.label() + " that is damaged")
                .or(() -> blocks.isEmpty() ? Optional.of("no PEM block " + label) : Optional.empty());
    }

    /** Those whose label ends so, in their order. */
    static List<Block> blocks(String text, String label) {
        var blocks = new ArrayList<Block>();
        Matcher matcher = BLOCK.matcher(text);
        while (matcher.find()) {
            if (matcher.group(1).endsWith(label)) {
                blocks.add(new Block(matcher.group(1), matcher.group(2)));
            }
        }
        return blocks;
    }

    /** What blocks of certificates hold. */
    static List<X509Certificate> certificates(List<Block> blocks) throws CertificateException {
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        var certificates = new ArrayList<X509Certificate>();
        for (Block block : blocks) {
            certificates.add(certificate(factory, block));
        }
        return certificates;
    }

    private static X509Certificate certificate(CertificateFactory factory, Block block) throws CertificateException {
        try {
            return (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(block.der()));
        } catch (RuntimeException e) {
            // Java does not declare all that it throws for damaged bytes.
            throw new CertificateException(e);
        }
    }
}
