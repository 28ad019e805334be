package dev.shellac.operator.write;

import com.fasterxml.jackson.databind.JsonNode;
import dev.shellac.model.Name;
import dev.shellac.operator.children.Labels;
import dev.shellac.operator.children.Names;
import dev.shellac.operator.pods.PodRegistry;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Which Gateway an object belongs to. In the namespace of the Gateway the owner reference decides, since anybody can copy labels. An object in another
 * namespace can have no owner there: our label and the annotations with the name and the uid of the Gateway decide. Whether a uid in an annotation is that of
 * another Gateway that is there has to be asked for: what has the uid of one that is gone was left behind.
 *
 * @param uid of the object itself
 * @param owners its Gateways by owner reference
 * @param annotated the Gateway that the annotations name, where the object has our label and no owner
 * @param deleted the object is being deleted
 */
public record Ownership(String uid, List<Owner> owners, Optional<Owner> annotated, boolean deleted) {
    private static final String GROUP = "gateway.networking.k8s.io/";
    // Of these the server checks none: an owner or an annotation beyond them names no Gateway that there can be.
    private static final int MOST_OWNERS = 8;
    private static final int MOST_UID = 128;
    private static final int MOST_NAME = 253;
    private static final int MOST_QUALIFIED_NAME = 63 + 1 + MOST_NAME;
    /** Of an object beside its texts. */
    private static final int SHELL = 512;

    /**
     * A Gateway.
     *
     * @param name without the namespace in an owner reference, {@code namespace/name} in annotations
     * @param uid empty in the annotations of an older release
     */
    public record Owner(String name, String uid) {
        boolean isOrMayBe(String other) {
            return uid.isEmpty() || uid.equals(other);
        }
    }

    /** What an object that is there is to the Gateway that wants to have it. */
    enum Relation {
        OURS,
        /** It belongs to a deleted Gateway of the same name, and goes as well. */
        LEAVING,
        FOREIGN
    }

    public Ownership {
        owners = List.copyOf(owners);
    }

    static Ownership of(JsonNode meta) {
        var owners = new ArrayList<Owner>();
        for (JsonNode owner : meta.path("ownerReferences")) {
            if (owners.size() < MOST_OWNERS
                    && owner.path("kind").asText().equals("Gateway")
                    && owner.path("apiVersion").asText().startsWith(GROUP)) {
                owner(owner.path("name"), MOST_NAME, owner.path("uid")).ifPresent(owners::add);
            }
        }
        JsonNode annotations = meta.path("annotations");
        boolean labelled = meta.path("labels").path(Labels.MANAGED_BY).asText().equals(Labels.OPERATOR);
        return new Ownership(
                meta.path("uid").asText(),
                owners,
                labelled && meta.path("ownerReferences").isEmpty() && annotations.has(Labels.GATEWAY)
                        ? owner(
                                annotations.path(Labels.GATEWAY),
                                MOST_QUALIFIED_NAME,
                                annotations.path(Labels.GATEWAY_UID))
                        : Optional.empty(),
                meta.has("deletionTimestamp"));
    }

    private static Optional<Owner> owner(JsonNode name, int longest, JsonNode uid) {
        return Optional.of(new Owner(name.asText(), uid.asText()))
                .filter(owner -> owner.name().length() <= longest && owner.uid().length() <= MOST_UID);
    }

    /** Whether it may belong to a Gateway at all: it names one. */
    boolean namesGateway() {
        return !owners.isEmpty() || annotated.isPresent();
    }

    /** Roughly the bytes that it takes in memory. */
    int size() {
        return SHELL
                + Stream.concat(owners.stream(), annotated.stream())
                        .mapToInt(owner -> owner.name().length() + owner.uid().length())
                        .sum();
    }

    /** What it is to a Gateway that wants an object of this name, with this metadata. */
    Relation to(ObjectMeta wanted, Predicate<String> others) {
        return wanted.getOwnerReferences().stream()
                .findFirst()
                .map(this::to)
                .orElseGet(() -> elsewhere(wanted, others));
    }

    private Relation to(OwnerReference owner) {
        if (owners.stream().anyMatch(found -> found.uid().equals(owner.getUid()))) {
            return Relation.OURS;
        }
        return owners.stream().anyMatch(found -> found.name().equals(owner.getName())) ? Relation.LEAVING : gone();
    }

    private Relation elsewhere(ObjectMeta wanted, Predicate<String> others) {
        String uid = wanted.getAnnotations().getOrDefault(Labels.GATEWAY_UID, "");
        return annotated
                .filter(owner -> owner.name().equals(wanted.getAnnotations().get(Labels.GATEWAY)))
                .filter(owner -> !others.test(owner.uid()))
                .map(owner -> owner.isOrMayBe(uid) ? Relation.OURS : Relation.LEAVING)
                .orElseGet(this::gone);
    }

    /** Whether it has the one name that a Role of this Gateway has in other namespaces, and the Gateway in its annotations. */
    boolean isLeftBy(PodRegistry.Key gateway, Name name, Predicate<String> others) {
        return annotated
                .filter(owner -> !others.test(owner.uid()))
                .map(owner -> owner.name().split("/", 2))
                .filter(words -> words.length == 2 && words[0].equals(gateway.namespace()))
                .map(words -> new Names(new Name(words[0], words[1])))
                .filter(names -> names.labelValue().equals(gateway.label())
                        && names.foreignRole().equals(name.name()))
                .isPresent();
    }

    /** Whether it has the uid of another Gateway than this one. The garbage collector takes care of none in other namespaces. */
    boolean isOfAnother(String uid) {
        return annotated.filter(owner -> !owner.isOrMayBe(uid)).isPresent();
    }

    private Relation gone() {
        return deleted ? Relation.LEAVING : Relation.FOREIGN;
    }
}
