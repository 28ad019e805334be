package dev.shellac.kube.watch;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;

/** A kind as this server serves it. */
public record ServedKind(GroupKind type, String version, String plural) {
    public String apiVersion() {
        return type.group().isEmpty() ? version : type.group() + "/" + version;
    }

    /** The name of its definition. */
    String definition() {
        return plural + "." + type.group();
    }

    public Collection all() {
        return Collection.of(Collection.path(apiVersion(), plural), new RawObject.Type(apiVersion(), type.kind()));
    }

    public String path(Name name) {
        String namespace = name.namespace().isEmpty() ? "" : "namespaces/" + name.namespace() + "/";
        return Collection.path(apiVersion(), namespace + plural) + "/" + name.name();
    }
}
