package dev.shellac.varnishconfig.delivery;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.SecretKey;

/** Shows that a delivery is from one who has the secret, and as it was. It cannot be printed. */
public final class Seal {
    static final String ALGORITHM = "HmacSHA256";
    static final int BYTES = 32;

    private final SecretKey secret;

    Seal(SecretKey secret) {
        this.secret = secret;
    }

    /** In hexadecimal. */
    public String of(Delivery delivery) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(secret);
            return HexFormat.of().formatHex(mac.doFinal(delivery.bytes()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }

    /** Compared in a time that says nothing about it. */
    public boolean isOn(Delivery delivery, String seal) {
        return MessageDigest.isEqual(of(delivery).getBytes(US_ASCII), seal.getBytes(US_ASCII));
    }

    @Override
    public String toString() {
        return "Seal";
    }
}
