package dev.shellac.translate.resolve;

import dev.shellac.model.core.SecretObject;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * What was read of each Secret, for as long as anybody has it: reading one takes a millisecond, most of it to see that the key fits, and
 * they are asked for with every change of anything.
 */
final class KeyPairMemory {
    // What is kept holds nothing of its key, so that it goes when the Secret does.
    private static final Map<SecretObject, KeyPair> READ = Collections.synchronizedMap(new WeakHashMap<>());

    private KeyPairMemory() {}

    static KeyPair of(SecretObject secret) {
        return READ.computeIfAbsent(secret, KeyPair::read);
    }
}
