package dev.shellac.kube.watch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.shellac.decode.kind.KindDecoder;
import dev.shellac.decode.kind.Kinds;
import dev.shellac.kube.api.ApiFault;
import dev.shellac.kube.api.Requests;
import dev.shellac.model.GroupKind;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Which kinds are served, in which version. Asked of the server rather than read from the definitions: those are megabytes of schemas, and one
 * that was just created is not served yet.
 */
final class Discovery {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Map<GroupKind, ServedKind> CORE = Map.of(
            GroupKind.SERVICE, new ServedKind(GroupKind.SERVICE, "v1", "services"),
            GroupKind.NAMESPACE, new ServedKind(GroupKind.NAMESPACE, "v1", "namespaces"),
            GroupKind.SECRET, new ServedKind(GroupKind.SECRET, "v1", "secrets"),
            GroupKind.CONFIG_MAP, new ServedKind(GroupKind.CONFIG_MAP, "v1", "configmaps"));
    /** The groups whose kinds come and go with their definitions. */
    static final Set<String> GROUPS = Set.of(GroupKind.GATEWAY.group(), GroupKind.CACHE_POLICY.group());

    private Discovery() {}

    static ServedKind core(GroupKind type) {
        ServedKind found = CORE.get(type);
        if (found == null) {
            throw new IllegalArgumentException(type + " is not a kind that every server has");
        }
        return found;
    }

    static Map<GroupKind, ServedKind> served(Requests api) throws IOException, InterruptedException {
        var served = new HashMap<>(CORE);
        for (String group : GROUPS) {
            Set<String> versions = versions(api, group);
            var plurals = new HashMap<String, Map<String, String>>();
            for (KindDecoder kind : Kinds.ALL) {
                if (!kind.type().group().equals(group)) {
                    continue;
                }
                for (String version : kind.versions()) {
                    if (!versions.contains(version) || served.containsKey(kind.type())) {
                        continue;
                    }
                    if (!plurals.containsKey(version)) {
                        plurals.put(version, plurals(api, group, version));
                    }
                    String plural = plurals.getOrDefault(version, Map.of())
                            .get(kind.type().kind());
                    if (plural != null) {
                        served.put(kind.type(), new ServedKind(kind.type(), version, plural));
                    }
                }
            }
        }
        return served;
    }

    private static Set<String> versions(Requests api, String group) throws IOException, InterruptedException {
        var versions = new HashSet<String>();
        ask(api, "/apis/" + group)
                .path("versions")
                .forEach(version -> versions.add(version.path("version").asText()));
        return versions;
    }

    private static Map<String, String> plurals(Requests api, String group, String version)
            throws IOException, InterruptedException {
        var plurals = new HashMap<String, String>();
        for (JsonNode resource : ask(api, "/apis/" + group + "/" + version).path("resources")) {
            String name = resource.path("name").asText();
            if (name.indexOf('/') < 0) {
                plurals.put(resource.path("kind").asText(), name);
            }
        }
        return plurals;
    }

    private static JsonNode ask(Requests api, String path) throws IOException, InterruptedException {
        try {
            return JSON.readTree(api.get(path));
        } catch (ApiFault e) {
            if (e.isNotFound()) {
                return JSON.createObjectNode();
            }
            throw e;
        }
    }
}
