package dev.shellac.testkit.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/** Objects by path, versions that count up, and who watches. For one thread at a time. */
final class ObjectStore {
    static final JsonMapper JSON = new JsonMapper();

    /** Who watches; called with each change. */
    interface Watcher {
        void changed(String type, String path, ObjectNode object);
    }

    /** A refusal. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1;

        private final int code;
        private final String reason;

        Refused(int code, String reason, String message) {
            super(message);
            this.code = code;
            this.reason = reason;
        }

        int code() {
            return code;
        }

        String reason() {
            return reason;
        }
    }

    private final Map<String, ObjectNode> objects = new TreeMap<>();

    private record Change(long version, String type, String path, ObjectNode object) {}

    private final List<Watcher> watchers = new ArrayList<>();
    private final List<Change> changes = new ArrayList<>();
    private long version = 100;

    /** What a server says of an object to those who ask for metadata alone. */
    static ObjectNode metadata(ObjectNode object) {
        ObjectNode part =
                JSON.createObjectNode().put("apiVersion", "meta.k8s.io/v1").put("kind", "PartialObjectMetadata");
        part.set("metadata", object.path("metadata"));
        return part;
    }

    long version() {
        return version;
    }

    /** Tells of what changed after a version, what is gone since included, and of all that changes from now on. */
    void watch(long since, Watcher watcher) {
        changes.stream()
                .filter(change -> change.version() > since)
                .forEach(change -> watcher.changed(change.type(), change.path(), change.object()));
        watchers.add(watcher);
    }

    void unwatch(Watcher watcher) {
        watchers.remove(watcher);
    }

    Optional<ObjectNode> find(String path) {
        return Optional.ofNullable(objects.get(path)).map(ObjectNode::deepCopy);
    }

    /** The objects of a collection: of one namespace, or of all. */
    List<ObjectNode> all(ApiPath collection) {
        return objects.entrySet().stream()
                .filter(entry -> ApiPath.of(entry.getKey()).isIn(collection))
                .map(entry -> entry.getValue().deepCopy())
                .toList();
    }

    ObjectNode create(String path, ObjectNode object) throws Refused {
        if (objects.containsKey(path)) {
            throw new Refused(409, "AlreadyExists", path + " already exists");
        }
        ObjectNode meta = object.withObjectProperty("metadata");
        if (!meta.has("uid")) {
            meta.put("uid", UUID.randomUUID().toString());
        }
        if (!meta.has("creationTimestamp")) {
            meta.put("creationTimestamp", "2026-01-01T00:00:00Z");
        }
        if (!meta.has("generation")) {
            meta.put("generation", 1);
        }
        return store("ADDED", path, object);
    }

    /** All of it, but for its identity; whatever it was. */
    ObjectNode replace(String path, ObjectNode object) throws Refused {
        ObjectNode before = find(path).orElseThrow(() -> new Refused(404, "NotFound", path + " not found"));
        ObjectNode meta = object.withObjectProperty("metadata");
        for (String kept : List.of("uid", "creationTimestamp", "generation", "resourceVersion")) {
            meta.set(kept, before.path("metadata").path(kept));
        }
        return object.equals(before) ? before : store("MODIFIED", path, object);
    }

    /** A merge patch, on the whole or on the status alone. */
    ObjectNode patch(String path, ObjectNode patch, boolean ofStatus) throws Refused {
        ObjectNode before = find(path).orElseThrow(() -> new Refused(404, "NotFound", path + " not found"));
        String wanted = patch.path("metadata").path("resourceVersion").asText();
        if (!wanted.isEmpty()
                && !wanted.equals(
                        before.path("metadata").path("resourceVersion").asText())) {
            throw new Refused(409, "Conflict", "the object has been modified");
        }
        ObjectNode after = before.deepCopy();
        if (ofStatus) {
            merge(after.withObjectProperty("status"), patch.path("status"));
        } else {
            merge(after, patch);
        }
        ObjectNode meta = after.withObjectProperty("metadata");
        meta.set("resourceVersion", before.path("metadata").path("resourceVersion"));
        if (after.equals(before)) {
            return before;
        }
        if (!ofStatus && !after.path("spec").equals(before.path("spec"))) {
            meta.put("generation", before.path("metadata").path("generation").asLong() + 1);
        }
        if (meta.has("deletionTimestamp") && meta.path("finalizers").isEmpty()) {
            return remove(path, after);
        }
        return store("MODIFIED", path, after);
    }

    /** Refuses where the object is another than the one of this uid, if there is one. */
    void expect(String path, String uid) throws Refused {
        Optional<ObjectNode> found = find(path);
        if (!uid.isEmpty()
                && found.isPresent()
                && !found.get().path("metadata").path("uid").asText().equals(uid)) {
            throw new Refused(409, "Conflict", "the uid in the precondition is not that of " + path);
        }
    }

    void delete(String path) throws Refused {
        ObjectNode object = find(path).orElseThrow(() -> new Refused(404, "NotFound", path + " not found"));
        if (object.path("metadata").path("finalizers").isEmpty()) {
            remove(path, object);
        } else {
            object.withObjectProperty("metadata").put("deletionTimestamp", "2026-01-02T00:00:00Z");
            store("MODIFIED", path, object);
        }
    }

    private ObjectNode remove(String path, ObjectNode object) {
        objects.remove(path);
        version++;
        object.withObjectProperty("metadata").put("resourceVersion", String.valueOf(version));
        tell("DELETED", path, object);
        return object;
    }

    private ObjectNode store(String type, String path, ObjectNode object) {
        version++;
        object.withObjectProperty("metadata").put("resourceVersion", String.valueOf(version));
        objects.put(path, object.deepCopy());
        tell(type, path, object);
        return object;
    }

    private static void merge(ObjectNode target, JsonNode patch) {
        patch.properties().forEach(field -> {
            if (field.getValue().isNull()) {
                target.remove(field.getKey());
            } else if (field.getValue().isObject()) {
                merge(target.withObjectProperty(field.getKey()), field.getValue());
            } else {
                target.set(field.getKey(), field.getValue().deepCopy());
            }
        });
    }

    private void tell(String type, String path, ObjectNode object) {
        changes.add(new Change(version, type, path, object.deepCopy()));
        List.copyOf(watchers).forEach(watcher -> watcher.changed(type, path, object));
    }
}
