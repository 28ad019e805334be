package dev.shellac.operator.write;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.shellac.kube.write.ObjectKey;
import dev.shellac.model.Name;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Whose fields become ours. That the server then removes what we do not set is tested in a cluster. */
final class AdoptionTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final ObjectKey DEPLOYMENT = new ObjectKey("apps/v1", "deployments", new Name("shop", "edge"));
    private static final String LABEL = "'f:metadata':{'f:labels':{'f:app.kubernetes.io/managed-by':{}}}";
    private static final String THEIRS =
            "{'manager':'manager','operation':'Update','time':'t','fieldsV1':{" + LABEL + ",'f:spec':{'f:a':{}}}}";
    private static final String OURS =
            "{'manager':'varnish-gateway-operator','operation':'Apply','time':'t','fieldsV1':{" + LABEL
                    + ",'f:spec':{'f:b':{}}}}";
    private static final String OTHERS =
            "{'manager':'others','operation':'Update','fieldsV1':{'f:metadata':{'f:annotations':{'f:x':{}}}}}";
    private static final String STATUS =
            "{'manager':'manager','operation':'Update','subresource':'status','fieldsV1':{" + LABEL + "}}";

    private final Shelf cluster = new Shelf();

    @Test
    void whatAnotherOperatorMadeBecomesOursAndWhatOthersAddedStaysTheirs() throws Exception {
        cluster.entries = THEIRS + "," + OTHERS + "," + STATUS;
        Adoption.adopt(cluster, DEPLOYMENT);
        assertThat(cluster.patches)
                .containsExactly(
                        json("{'metadata':{'resourceVersion':'7','managedFields':[" + OTHERS + "," + STATUS + ","
                                + THEIRS.replace(
                                        "'manager':'manager','operation':'Update'",
                                        "'manager':'varnish-gateway-operator','operation':'Apply'")
                                + "]}}"));
    }

    @Test
    void whereBothHaveSetFieldsOneEntryHasThemAll() throws Exception {
        cluster.entries = OURS + "," + THEIRS;
        Adoption.adopt(cluster, DEPLOYMENT);
        assertThat(cluster.patches)
                .containsExactly(json("{'metadata':{'resourceVersion':'7','managedFields':["
                        + OURS.replace("'f:b':{}", "'f:b':{},'f:a':{}") + "]}}"));
    }

    @Test
    void whatIsOursIsLeftAlone() throws Exception {
        cluster.entries = OURS + "," + OTHERS + "," + STATUS;
        Adoption.adopt(cluster, DEPLOYMENT);
        assertThat(cluster.patches).isEmpty();
    }

    @Test
    void whatHasNoSpecificationIsNotEvenRead() throws Exception {
        cluster.entries = THEIRS;
        Adoption.adopt(cluster, new ObjectKey("v1", "configmaps", new Name("shop", "edge-vcl")));
        assertThat(cluster.reads).isZero();
        assertThat(cluster.patches).isEmpty();
    }

    private static ObjectNode json(String text) {
        try {
            return (ObjectNode) JSON.readTree(text.replace('\'', '"'));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Shelf extends NoKubeWriter {
        private final List<ObjectNode> patches = new ArrayList<>();
        private String entries = "";
        private int reads;

        @Override
        public Optional<ObjectNode> read(String path) {
            reads++;
            return Optional.of(json("{'metadata':{'resourceVersion':'7','managedFields':[" + entries + "]}}"));
        }

        @Override
        public ObjectNode merge(String path, ObjectNode patch) {
            patches.add(patch);
            return patch;
        }
    }
}
