package dev.shellac.operator.controller;

import dev.shellac.kube.write.KubeWriter;
import dev.shellac.kube.write.KubeWriter.Stored;
import dev.shellac.kube.write.ObjectKey;
import dev.shellac.varnishconfig.changes.ChangeSet;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One writing of a Gateway's configuration, off the loop's thread: the API server may take its time, or an admission webhook of the Gateway's namespace.
 *
 * @param revision of the changes; made when the content was, so that a higher number is always newer content
 * @param objects those that are not written yet, in order
 * @param changes last, where they are not written yet
 * @param unsigned changes that perhaps another process signed: they are signed first, as they are
 */
record ConfigWrite(
        GatewayRenderer.Rendered rendered,
        GatewayConfigWriter.WriteRequest request,
        ChangeSet.Revision revision,
        List<HasMetadata> objects,
        Optional<ConfigMap> changes,
        Optional<ConfigMap> unsigned) {
    private static final String MAIN_VCL = "main.vcl";
    private static final System.Logger LOG = System.getLogger(ConfigWrite.class.getName());

    ConfigWrite {
        objects = List.copyOf(objects);
    }

    /** An object as it was written. */
    record Written(HasMetadata object, Stored stored) {}

    /**
     * What came of it.
     *
     * @param written also where a later one failed
     */
    record Result(ConfigWrite write, Map<ObjectKey, Written> written, Optional<IOException> failure) {
        Result {
            written = Map.copyOf(written);
        }

        boolean isSigned() {
            return failure.isEmpty() && write.changes().isPresent();
        }
    }

    boolean isEmpty() {
        return objects.isEmpty() && changes.isEmpty();
    }

    Result run(KubeWriter kube, GatewayConfigWriter.Observer observer) throws InterruptedException {
        sign(kube, observer);
        var written = new LinkedHashMap<ObjectKey, Written>();
        var all = new ArrayList<>(objects);
        changes.ifPresent(all::add);
        for (HasMetadata object : all) {
            ObjectKey key = ObjectKey.of(object);
            try {
                written.put(key, new Written(object, write(kube, object)));
                observer.wrote(key);
            } catch (IOException e) {
                observer.failed(key, e);
                return new Result(this, written, Optional.of(e));
            } catch (RuntimeException e) {
                LOG.log(Level.ERROR, "writing " + key + " failed, and is tried again", e);
                var failure = new IOException(e.toString(), e);
                observer.failed(key, failure);
                return new Result(this, written, Optional.of(failure));
            }
        }
        return new Result(this, written, Optional.empty());
    }

    // The changes are written in any case, at the end: a failure here stops nothing.
    private void sign(KubeWriter kube, GatewayConfigWriter.Observer observer) throws InterruptedException {
        if (unsigned.isEmpty()) {
            return;
        }
        try {
            SignedChanges.sign(kube, unsigned.get(), revision);
        } catch (IOException e) {
            observer.failed(ObjectKey.of(unsigned.get()), e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "signing " + ObjectKey.of(unsigned.get()) + " failed", e);
        }
    }

    private Stored write(KubeWriter kube, HasMetadata object) throws IOException, InterruptedException {
        return changes.isPresent() && object.equals(changes.get())
                ? SignedChanges.write(kube, changes.get(), revision)
                : kube.apply(withVcl(kube, object));
    }

    // Where no VCL can be made the one that is written stays: a pod that starts has no other.
    private HasMetadata withVcl(KubeWriter kube, HasMetadata object) throws IOException, InterruptedException {
        boolean isWhole = object.equals(rendered.objects().getLast());
        if (rendered.vclFault().isEmpty()
                || !isWhole
                || !(object instanceof ConfigMap map)
                || map.getData().containsKey(MAIN_VCL)) {
            return object;
        }
        return kube.read(ObjectKey.of(map).path())
                .flatMap(there ->
                        Optional.ofNullable(there.path("data").path(MAIN_VCL).textValue()))
                .map(text -> new ConfigMapBuilder(map).addToData(MAIN_VCL, text).build())
                .orElse(map);
    }
}
