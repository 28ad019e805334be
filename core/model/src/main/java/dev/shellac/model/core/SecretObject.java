package dev.shellac.model.core;

import dev.shellac.model.Copies;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Metadata;
import dev.shellac.model.Resource;
import dev.shellac.model.Secret;
import java.util.Map;

/**
 * A Secret of the cluster.
 *
 * @param values of the keys that a certificate is read from; no other is kept
 */
public record SecretObject(Metadata meta, String secretType, Map<String, Secret> values) implements Resource {
    public static final String CERTIFICATE = "tls.crt";
    public static final String KEY = "tls.key";

    /** The most bytes of a certificate's chain and its key together. Of a larger value only the length is kept. */
    public static final int MOST_BYTES = 64 * 1024;

    public SecretObject {
        values = Copies.of(values);
    }

    @Override
    public GroupKind type() {
        return GroupKind.SECRET;
    }
}
