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
import java.util.List;
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
    /** The groups whose kinds are read, and come and go with their definitions. */
    private static final Set<String> GROUPS = Set.of(GroupKind.GATEWAY.group(), GroupKind.CACHE_POLICY.group());
    /** Kinds that are written only, where a cluster has them. */
    private static final List<ServedKind> WRITTEN =
            List.of(new ServedKind(GroupKind.SERVICE_MONITOR, "v1", "servicemonitors"));

    private Discovery() {}

    static ServedKind core(GroupKind type) {
        ServedKind found = CORE.get(type);
        if (found == null) {
            throw new IllegalArgumentException(type + " is not a kind that every server has");
        }
        return found;
    }

    /** Whether the definition of this name is worth a look. */
    static boolean concerns(String definition) {
        return GROUPS.stream().anyMatch(group -> definition.endsWith("." + group))
                || WRITTEN.stream().anyMatch(kind -> definition.equals(kind.definition()));
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
        for (ServedKind kind : WRITTEN) {
            String group = kind.type().group();
            if (versions(api, group).contains(kind.version())
                    && plurals(api, group, kind.version()).containsValue(kind.plural())) {
                served.put(kind.type(), kind);
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
