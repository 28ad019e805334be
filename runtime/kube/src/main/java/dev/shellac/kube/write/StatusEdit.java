package dev.shellac.kube.write;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.shellac.kube.api.ApiFault;
import java.io.IOException;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Writes a status: reads the object, merges, and writes over exactly what was read; where somebody was faster, again. Nothing is written where
 * nothing would change.
 */
public final class StatusEdit {
    private static final JsonMapper JSON = new JsonMapper();
    private static final int MOST_TRIES = 8;

    /** What became of it. */
    public enum Result {
        WRITTEN,
        /** It was there already. */
        AS_IT_WAS,
        /** The object is no more. */
        GONE
    }

    /**
     * A write of which not everything stayed: an old definition of a kind drops fields that it does not know, and writing them again would not help.
     *
     * @param version of the object after it
     * @param hash of what was written
     */
    public record Last(String version, int hash) {}

    /** What became of it, and what to remember for the next time. */
    public record Edited(Result result, Optional<Last> last) {}

    private final KubeWriter kube;
    private final String controller;
    private final InstantSource clock;

    public StatusEdit(KubeWriter kube, String controller, InstantSource clock) {
        this.kube = kube;
        this.controller = controller;
        this.clock = clock;
    }

    /**
     * Makes the status of an object say this.
     *
     * @param path of the object
     * @param uid of the object that it is about, or empty: one of the same name that came later is another
     * @param ours the types of conditions that are ours
     */
    public Edited write(String path, String uid, Set<String> ours, Map<String, Object> wanted, Optional<Last> last)
            throws IOException, InterruptedException {
        for (int left = MOST_TRIES; ; left--) {
            Optional<ObjectNode> found = kube.read(path);
            if (found.isEmpty() || isAnother(found.get(), uid)) {
                return new Edited(Result.GONE, Optional.empty());
            }
            ObjectNode object = found.get();
            String version = object.path("metadata").path("resourceVersion").asText();
            ObjectNode fields = new StatusMerge(controller, ours, now()).merged(object.path("status"), wanted);
            boolean again = last.filter(
                            before -> before.version().equals(version) && before.hash() == fields.hashCode())
                    .isPresent();
            if (again || !StatusMerge.changes(object.path("status"), fields)) {
                return new Edited(Result.AS_IT_WAS, last);
            }
            try {
                ObjectNode after = kube.merge(path + "/status", patch(version, fields));
                String now = after.path("metadata").path("resourceVersion").asText();
                return new Edited(
                        Result.WRITTEN,
                        StatusMerge.changes(after.path("status"), fields)
                                ? Optional.of(new Last(now, fields.hashCode()))
                                : Optional.empty());
            } catch (ApiFault e) {
                if (!e.isConflict() || left <= 1) {
                    throw e;
                }
            }
        }
    }

    private static boolean isAnother(ObjectNode object, String uid) {
        return !uid.isEmpty() && !object.path("metadata").path("uid").asText().equals(uid);
    }

    private static ObjectNode patch(String version, ObjectNode fields) {
        ObjectNode patch = JSON.createObjectNode();
        patch.putObject("metadata").put("resourceVersion", version);
        patch.set("status", fields);
        return patch;
    }

    private String now() {
        return clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
