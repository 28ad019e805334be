package dev.shellac.operator.write;

import static dev.shellac.testkit.patience.Eventually.eventually;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.shellac.kube.api.ApiFault;
import dev.shellac.operator.write.GatewayClassFinalizer.Use;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

final class GatewayClassFinalizerTest {
    private final Set<String> patched = ConcurrentHashMap.newKeySet();

    /** Classes with our finalizer, of which some cannot be written. */
    private final class Classes extends NoKubeWriter {
        @Override
        public Optional<ObjectNode> read(String path) {
            ObjectNode object = new JsonMapper().createObjectNode();
            object.putObject("metadata").putArray("finalizers").add(GatewayClassFinalizer.FINALIZER);
            return Optional.of(object);
        }

        @Override
        public ObjectNode merge(String path, ObjectNode patch) throws ApiFault {
            if (path.startsWith("guarded")) {
                throw new ApiFault(403, "Forbidden", "an admission policy denies it");
            }
            patched.add(path);
            return patch;
        }
    }

    @Test
    void aClassThatCannotBeWrittenDelaysNoOther() throws Exception {
        var classes = new TreeMap<String, Use>();
        for (int i = 0; i < 8; i++) {
            classes.put("guarded" + i, Use.UNUSED);
            classes.put("free" + i, Use.UNUSED);
        }
        try (GatewayClassFinalizer finalizer = GatewayClassFinalizer.start(new Classes())) {
            finalizer.guard(Map.copyOf(classes));
            eventually("all others are free", () -> patched.size() == 8);
        }
    }
}
