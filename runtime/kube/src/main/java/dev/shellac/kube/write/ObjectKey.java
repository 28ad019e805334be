package dev.shellac.kube.write;

import dev.shellac.kube.watch.Collection;
import dev.shellac.model.Name;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Comparator;
import java.util.Optional;

/** One object of the API, of any kind. */
public record ObjectKey(String apiVersion, String plural, Name name) implements Comparable<ObjectKey> {
    private static final Comparator<ObjectKey> ORDER = Comparator.comparing(ObjectKey::apiVersion)
            .thenComparing(ObjectKey::plural)
            .thenComparing(ObjectKey::name);

    public static ObjectKey of(HasMetadata object) {
        String namespace =
                Optional.ofNullable(object.getMetadata().getNamespace()).orElse("");
        return new ObjectKey(
                object.getApiVersion(),
                object.getPlural(),
                new Name(namespace, object.getMetadata().getName()));
    }

    public String path() {
        String namespace = name.namespace().isEmpty() ? "" : "namespaces/" + name.namespace() + "/";
        return Collection.path(apiVersion, namespace + plural) + "/" + name.name();
    }

    @Override
    public int compareTo(ObjectKey other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return plural + " " + name;
    }
}
