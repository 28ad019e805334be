package dev.shellac.operator;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.model.Name;
import dev.shellac.model.Snapshot;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.persistent.Change;
import dev.shellac.operator.pods.PodRegistry;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** The Gateways that there are, by the keys of their pods. Learned on the loop's thread, asked on many. */
final class Tokens implements PodRegistry.Gateways {
    private final Map<PodRegistry.Key, String> uids = new ConcurrentHashMap<>();
    private final Function<Name, String> labels;
    private Snapshot last = Snapshot.empty();

    Tokens(Function<Name, String> labels) {
        this.labels = labels;
    }

    /** Takes in what changed; the namespaces of Gateways that came, went, or were made anew. */
    Set<String> learn(Snapshot snapshot) {
        var namespaces = new TreeSet<String>();
        for (Change<Name, Gateway> change : snapshot.changesSince(last, Gateway.class)) {
            var key = new PodRegistry.Key(change.key().namespace(), labels.apply(change.key()));
            Optional<String> uid = change.after().map(gateway -> gateway.meta().uid());
            Optional<String> before =
                    Optional.ofNullable(uid.isPresent() ? uids.put(key, uid.get()) : uids.remove(key));
            if (!before.equals(uid)) {
                namespaces.add(key.namespace());
            }
        }
        last = snapshot;
        return namespaces;
    }

    @Override
    public Optional<String> uid(PodRegistry.Key gateway) {
        return Optional.ofNullable(uids.get(gateway));
    }

    /** Whether a uid is that of a Gateway that is there, and not this one. */
    boolean isOfAnother(PodRegistry.Key gateway, String uid) {
        return uids.entrySet().stream()
                .anyMatch(
                        known -> known.getValue().equals(uid) && !known.getKey().equals(gateway));
    }

    @Override
    public String token(PodRegistry.Key gateway) {
        return uid(gateway).map(Tokens::token).orElse("unknown");
    }

    private static String token(String uid) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(("varnish-gateway-drain\0" + uid).getBytes(UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
