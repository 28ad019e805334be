package dev.shellac.operator;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.model.Name;
import dev.shellac.model.Snapshot;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.shared.Change;
import dev.shellac.operator.fleet.Fleet;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** What the pods of each Gateway want to hear before they say how they are. Learned on the loop's thread, asked on many. */
final class Tokens implements Function<Fleet.Key, String> {
    private final Map<Fleet.Key, String> known = new ConcurrentHashMap<>();
    private final Function<Name, String> labels;
    private Snapshot last = Snapshot.empty();

    Tokens(Function<Name, String> labels) {
        this.labels = labels;
    }

    void learn(Snapshot snapshot) {
        for (Change<Name, Gateway> change : snapshot.changesSince(last, Gateway.class)) {
            var key = new Fleet.Key(change.key().namespace(), labels.apply(change.key()));
            change.after()
                    .ifPresentOrElse(
                            gateway -> known.put(key, token(gateway.meta().uid())), () -> known.remove(key));
        }
        last = snapshot;
    }

    @Override
    public String apply(Fleet.Key gateway) {
        return known.getOrDefault(gateway, "unknown");
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
