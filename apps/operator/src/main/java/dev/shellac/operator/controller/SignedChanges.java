package dev.shellac.operator.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.shellac.kube.api.ApiFault;
import dev.shellac.kube.write.KubeWriter;
import dev.shellac.kube.write.KubeWriter.Stored;
import dev.shellac.kube.write.ObjectKey;
import dev.shellac.varnishconfig.changes.ChangeSet;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The ConfigMap of changes of a Gateway, which says who writes it: pods take changes from nobody else. A new process signs even where all else stands as it
 * is wanted: pods may hold a change that an operator before this one pushed, and that was taken back before it was written. They drop it when they see another
 * writer.
 */
final class SignedChanges {
    private static final String WRITER = "writer";
    private static final String NUMBER = "number";

    private SignedChanges() {}

    static Stored write(KubeWriter kube, ConfigMap wanted, ChangeSet.Revision revision)
            throws IOException, InterruptedException {
        return put(
                kube,
                new ConfigMapBuilder(wanted)
                        .addToData(WRITER, revision.writer())
                        .addToData(NUMBER, String.valueOf(revision.number()))
                        .build());
    }

    /**
     * Signs what is written there, whatever it is, where an operator before this one did: before anything else, since the rest may take its time, or not be possible
     * at all.
     *
     * @param ours the object as this Gateway's, for who owns it
     */
    static void sign(KubeWriter kube, ConfigMap ours, ChangeSet.Revision revision)
            throws IOException, InterruptedException {
        Optional<ObjectNode> found = kube.read(ObjectKey.of(ours).path());
        if (found.isEmpty() || found.get().path("data").path(WRITER).asText().equals(revision.writer())) {
            return;
        }
        ObjectNode there = found.get();
        kube.replace(new ConfigMapBuilder(ours)
                .editMetadata()
                // Not over what is written there meanwhile.
                .withResourceVersion(there.at("/metadata/resourceVersion").textValue())
                .endMetadata()
                .withData(texts(there.path("data")))
                .withBinaryData(texts(there.path("binaryData")))
                .addToData(WRITER, revision.writer())
                .addToData(NUMBER, String.valueOf(revision.number()))
                .build());
    }

    private static Map<String, String> texts(JsonNode table) {
        var texts = new TreeMap<String, String>();
        table.properties()
                .forEach(entry -> texts.put(entry.getKey(), entry.getValue().asText()));
        return texts;
    }

    // It comes often, and nobody has a reason to add something of their own to it.
    private static Stored put(KubeWriter kube, ConfigMap object) throws IOException, InterruptedException {
        try {
            return kube.replace(object);
        } catch (ApiFault e) {
            if (!e.isNotFound()) {
                throw e;
            }
            return kube.apply(object);
        }
    }
}
