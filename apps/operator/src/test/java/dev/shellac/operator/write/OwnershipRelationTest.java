package dev.shellac.operator.write;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.shellac.model.Name;
import dev.shellac.operator.children.Labels;
import dev.shellac.operator.children.Names;
import dev.shellac.operator.pods.PodRegistry;
import dev.shellac.operator.write.Ownership.Relation;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** What a Role in another namespace, which can have no owner, is to a Gateway. */
final class OwnershipRelationTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Predicate<String> OTHERS = "other"::equals;
    private static final PodRegistry.Key GATEWAY = new PodRegistry.Key("shop", "edge");
    private static final Name ROLE = new Name("tenant", new Names(new Name("shop", "edge")).foreignRole());

    private static Ownership role(String gateway, String uid) {
        var meta = JSON.createObjectNode().put("uid", "role");
        meta.putObject("labels").put(Labels.MANAGED_BY, Labels.OPERATOR);
        var annotations = meta.putObject("annotations").put(Labels.GATEWAY, gateway);
        if (!uid.isEmpty()) {
            annotations.put(Labels.GATEWAY_UID, uid);
        }
        return Ownership.of(meta);
    }

    private static Relation relation(Ownership found) {
        ObjectMeta wanted = new ObjectMetaBuilder()
                .addToAnnotations(Labels.GATEWAY, "shop/edge")
                .addToAnnotations(Labels.GATEWAY_UID, "own")
                .build();
        return found.to(wanted, OTHERS);
    }

    @Test
    void theUidDecidesWhoseItIs() {
        assertThat(relation(role("shop/edge", "own"))).isEqualTo(Relation.OURS);
        assertThat(relation(role("shop/edge", ""))).as("of an older release").isEqualTo(Relation.OURS);
        assertThat(relation(role("shop/edge", "gone")))
                .as("left by an earlier Gateway of this name")
                .isEqualTo(Relation.LEAVING);
        assertThat(relation(role("shop/edge", "other"))).isEqualTo(Relation.FOREIGN);
        assertThat(relation(role("shop/else", "own"))).isEqualTo(Relation.FOREIGN);
    }

    @Test
    void whatHasTheUidOfAnotherGatewayIsNotLeftBehind() {
        assertThat(role("shop/edge", "own").isLeftBy(GATEWAY, ROLE, OTHERS)).isTrue();
        assertThat(role("shop/edge", "").isLeftBy(GATEWAY, ROLE, OTHERS)).isTrue();
        assertThat(role("shop/edge", "gone").isLeftBy(GATEWAY, ROLE, OTHERS)).isTrue();
        assertThat(role("shop/edge", "other").isLeftBy(GATEWAY, ROLE, OTHERS)).isFalse();
        assertThat(role("shop/edge", "own").isLeftBy(GATEWAY, new Name("tenant", "mine"), OTHERS))
                .isFalse();
    }

    @Test
    void onlyAnotherUidMakesItAnEarlierOnes() {
        assertThat(role("shop/edge", "gone").isOfAnother("own")).isTrue();
        assertThat(role("shop/edge", "own").isOfAnother("own")).isFalse();
        assertThat(role("shop/edge", "").isOfAnother("own")).isFalse();
    }
}
