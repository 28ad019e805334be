package dev.shellac.kube.write;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** What the operator asks of a cluster, besides watching it. */
public interface KubeWriter {
    /** How an object stands after it was written. */
    record Stored(String version, long generation) {
        /** Whether a version is of a later moment. They are numbers on every server there is; where one is not, whatever differs counts. */
        public boolean isOlderThan(String other) {
            try {
                return Long.parseLong(other) > Long.parseLong(version);
            } catch (NumberFormatException e) {
                return !other.equals(version);
            }
        }
    }

    /** Makes the fields of the object as they are here; others' fields stay. */
    Stored apply(HasMetadata wanted) throws IOException, InterruptedException;

    /**
     * Makes an object that is there all that it is here, whatever it was; others' fields go. For the server it is a fraction of the work of {@link #apply},
     * and for large objects half of that of a merge.
     */
    Stored replace(HasMetadata wanted) throws IOException, InterruptedException;

    /** Creates it, unless there is one of that name. */
    boolean create(HasMetadata wanted) throws IOException, InterruptedException;

    /** Deletes exactly this object: one of the same name with another uid stays. Content with one that is not there. */
    void delete(ObjectKey key, String uid) throws IOException, InterruptedException;

    /** The metadata of an object; nothing where there is none. */
    Optional<ObjectNode> metadata(ObjectKey key) throws IOException, InterruptedException;

    /** The objects of a kind with these labels, their metadata alone. */
    List<ObjectKey> labelled(String apiVersion, String plural, String selector)
            throws IOException, InterruptedException;

    Optional<ObjectNode> read(String path) throws IOException, InterruptedException;

    /** A merge patch; where it holds a resourceVersion, only over that one. */
    ObjectNode merge(String path, ObjectNode patch) throws IOException, InterruptedException;
}
