package dev.shellac.translate.resolve;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** As much of DER as it takes to put a bare key into the wrapping that Java reads, and to read names that Java refuses. */
final class Der {
    private static final int INTEGER = 0x02;
    private static final int OCTETS = 0x04;
    private static final int SEQUENCE = 0x30;
    private static final int LONG = 0x80;
    private static final int DNS_NAME = 0x82;

    private Der() {}

    /** One element, by where its content begins and where the next one would. */
    private record Element(int tag, int content, int end) {}

    static boolean isSequence(byte[] der) {
        return element(der, 0)
                .filter(found -> found.tag() == SEQUENCE && found.end() == der.length)
                .isPresent();
    }

    /**
     * PKCS #8 around a key that came without it ({@code RSA PRIVATE KEY}, {@code EC PRIVATE KEY}): the algorithm, which it does not
     * say itself, is that of the public key it shall fit.
     *
     * @param publicKey a SubjectPublicKeyInfo
     */
    static byte[] wrapped(byte[] bareKey, byte[] publicKey) {
        int start = element(publicKey, 0).map(Element::content).orElse(0);
        int end = element(publicKey, start).map(Element::end).orElse(start);
        return element(
                SEQUENCE,
                element(INTEGER, new byte[] {0}),
                Arrays.copyOfRange(publicKey, start, end),
                element(OCTETS, bareKey));
    }

    /**
     * The DNS names of a certificate's alternative names. Java reads all of them or none: one name of another kind that it does not
     * understand, as a URI without a scheme, would hide those that matter here.
     *
     * @param extension as {@link java.security.cert.X509Extension#getExtensionValue} has it: a list of names in an octet string
     */
    static List<String> dnsNames(byte[] extension) {
        Optional<Element> list = element(extension, 0)
                .filter(found -> found.tag() == OCTETS)
                .flatMap(octets -> element(extension, octets.content()))
                .filter(found -> found.tag() == SEQUENCE);
        var names = new ArrayList<String>();
        int at = list.map(Element::content).orElse(0);
        int end = list.map(Element::end).orElse(0);
        while (at < end) {
            Optional<Element> name = element(extension, at);
            if (name.isEmpty()) {
                return names;
            }
            if (name.get().tag() == DNS_NAME) {
                int length = name.get().end() - name.get().content();
                names.add(new String(extension, name.get().content(), length, US_ASCII));
            }
            at = name.get().end();
        }
        return names;
    }

    private static Optional<Element> element(byte[] der, int at) {
        if (der.length < at + 2) {
            return Optional.empty();
        }
        int first = der[at + 1] & 0xff;
        int bytes = first < LONG ? 0 : first - LONG;
        if ((first >= LONG && (bytes < 1 || bytes > 4)) || der.length < at + 2 + bytes) {
            return Optional.empty();
        }
        long length = first < LONG ? first : 0;
        for (int i = 0; i < bytes; i++) {
            length = (length << 8) | (der[at + 2 + i] & 0xff);
        }
        int content = at + 2 + bytes;
        return content + length > der.length
                ? Optional.empty()
                : Optional.of(new Element(der[at] & 0xff, content, (int) (content + length)));
    }

    private static byte[] element(int tag, byte[]... parts) {
        int length = Arrays.stream(parts).mapToInt(part -> part.length).sum();
        ByteBuffer out = ByteBuffer.allocate(length + 4).put((byte) tag);
        if (length < LONG) {
            out.put((byte) length);
        } else {
            // A private key has less than 64 KiB.
            out.put((byte) (LONG + 2)).putShort((short) length);
        }
        for (byte[] part : parts) {
            out.put(part);
        }
        return Arrays.copyOf(out.array(), out.position());
    }
}
