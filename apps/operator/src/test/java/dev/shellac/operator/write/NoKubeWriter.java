package dev.shellac.operator.write;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.shellac.kube.write.KubeWriter;
import dev.shellac.kube.write.ObjectKey;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Nobody should ask it for anything; a test says what may be asked for all the same. */
public class NoKubeWriter implements KubeWriter {
    @Override
    public Stored apply(HasMetadata wanted) throws IOException {
        throw new UnsupportedOperationException();
    }

    @Override
    public Stored replace(HasMetadata wanted) throws IOException {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean create(HasMetadata wanted) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void delete(ObjectKey key, String uid) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<ObjectNode> metadata(ObjectKey key) throws InterruptedException {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<ObjectKey> labelled(String apiVersion, String plural, String selector) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<ObjectNode> read(String path) throws InterruptedException {
        throw new UnsupportedOperationException();
    }

    @Override
    public ObjectNode merge(String path, ObjectNode patch) throws IOException {
        throw new UnsupportedOperationException();
    }
}
