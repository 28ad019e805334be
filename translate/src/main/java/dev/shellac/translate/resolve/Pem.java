package dev.shellac.translate.resolve;

import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whether text holds PEM blocks of a kind whose content is one DER sequence of the right length. That finds what is
 * truncated, empty or of another kind; the signature and the match of key and certificate are checked where they are used.
 */
final class Pem {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\\s]*)-----END \\1-----");
    private static final int SEQUENCE = 0x30;

    private Pem() {}

    /** What is wrong with the text as a list of {@code CERTIFICATE} or {@code … PRIVATE KEY} blocks. */
    static Optional<String> fault(String text, String label) {
        Matcher matcher = BLOCK.matcher(text);
        int blocks = 0;
        while (matcher.find()) {
            if (!matcher.group(1).endsWith(label)) {
                continue;
            }
            blocks++;
            if (!isSequence(matcher.group(2))) {
                return Optional.of("a PEM block " + matcher.group(1) + " that is damaged");
            }
        }
        return blocks == 0 ? Optional.of("no PEM block " + label) : Optional.empty();
    }

    private static boolean isSequence(String base64) {
        byte[] der;
        try {
            der = Base64.getMimeDecoder().decode(base64.strip());
        } catch (IllegalArgumentException e) {
            return false;
        }
        if (der.length < 2 || (der[0] & 0xff) != SEQUENCE) {
            return false;
        }
        int first = der[1] & 0xff;
        if (first < 0x80) {
            return der.length == 2 + first;
        }
        int bytes = first - 0x80;
        if (bytes < 1 || bytes > 4 || der.length < 2 + bytes) {
            return false;
        }
        long length = 0;
        for (int i = 0; i < bytes; i++) {
            length = (length << 8) | (der[2 + i] & 0xff);
        }
        return der.length == 2 + bytes + length;
    }
}
