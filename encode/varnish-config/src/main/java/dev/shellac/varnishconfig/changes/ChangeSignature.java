package dev.shellac.varnishconfig.changes;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.SecretKey;

/** Shows that a delivery is from one who has the secret, and as it was. It cannot be printed. */
public final class ChangeSignature {
    static final String ALGORITHM = "HmacSHA256";
    static final int BYTES = 32;

    private final SecretKey secret;

    ChangeSignature(SecretKey secret) {
        this.secret = secret;
    }

    /** In hexadecimal. */
    public String of(ChangeSet changeSet) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(secret);
            return HexFormat.of().formatHex(mac.doFinal(changeSet.bytes()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }

    /** Compared in a time that says nothing about it. */
    public boolean verifies(ChangeSet changeSet, String signature) {
        return MessageDigest.isEqual(of(changeSet).getBytes(US_ASCII), signature.getBytes(US_ASCII));
    }

    @Override
    public String toString() {
        return "ChangeSignature";
    }
}
