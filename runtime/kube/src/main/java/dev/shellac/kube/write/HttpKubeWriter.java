package dev.shellac.kube.write;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.shellac.kube.api.ApiFault;
import dev.shellac.kube.api.Requests;
import dev.shellac.kube.api.Requests.Body;
import dev.shellac.kube.api.Requests.Sent;
import dev.shellac.kube.watch.Collection;
import dev.shellac.model.Name;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A real cluster. */
public final class HttpKubeWriter implements KubeWriter {
    /** Who we are among the writers of an object. */
    public static final String MANAGER = "varnish-gateway-operator";

    private static final JsonMapper JSON = new JsonMapper();
    private static final int PAGE = 500;

    private final Requests api;
    private final KubernetesSerialization serialization = new KubernetesSerialization();

    private HttpKubeWriter(Requests api) {
        this.api = api;
    }

    public static HttpKubeWriter of(Requests api) {
        return new HttpKubeWriter(api);
    }

    @Override
    public Stored apply(HasMetadata wanted) throws IOException, InterruptedException {
        return stored("PATCH", byUs(ObjectKey.of(wanted).path()) + "&force=true", new Sent(Body.APPLY, json(wanted)));
    }

    @Override
    public Stored replace(HasMetadata wanted) throws IOException, InterruptedException {
        return stored("PUT", byUs(ObjectKey.of(wanted).path()), new Sent(Body.JSON, json(wanted)));
    }

    private static String byUs(String path) {
        return path + "?fieldManager=" + MANAGER;
    }

    // Who wrote knows what is in it.
    private Stored stored(String method, String path, Sent sent) throws IOException, InterruptedException {
        JsonNode meta = JSON.readTree(api.send(method, path, sent, Requests.Form.METADATA))
                .path("metadata");
        return new Stored(
                meta.path("resourceVersion").asText(), meta.path("generation").asLong());
    }

    @Override
    public boolean create(HasMetadata wanted) throws IOException, InterruptedException {
        String one = ObjectKey.of(wanted).path();
        try {
            api.send("POST", byUs(one.substring(0, one.lastIndexOf('/'))), Body.JSON, json(wanted));
            return true;
        } catch (ApiFault e) {
            if (e.isAlreadyThere()) {
                return false;
            }
            throw e;
        }
    }

    private String json(HasMetadata object) {
        return serialization.asJson(object);
    }

    @Override
    public void delete(ObjectKey key, String uid) throws IOException, InterruptedException {
        ObjectNode options = JSON.createObjectNode();
        options.putObject("preconditions").put("uid", uid);
        try {
            api.send("DELETE", key.path(), Body.JSON, JSON.writeValueAsString(options));
        } catch (ApiFault e) {
            // A conflict: another object has the name by now.
            if (!e.isNotFound() && !e.isConflict()) {
                throw e;
            }
        }
    }

    @Override
    public Optional<ObjectNode> metadata(ObjectKey key) throws IOException, InterruptedException {
        try {
            return Optional.of(
                    object(api.get(key.path(), Requests.Form.METADATA)).withObjectProperty("metadata"));
        } catch (ApiFault e) {
            if (e.isNotFound()) {
                return Optional.empty();
            }
            throw e;
        }
    }

    @Override
    public List<ObjectKey> labelled(String apiVersion, String plural, String selector)
            throws IOException, InterruptedException {
        var found = new ArrayList<ObjectKey>();
        String more = "";
        do {
            String path = Collection.path(apiVersion, plural) + "?limit=" + PAGE + "&labelSelector="
                    + URLEncoder.encode(selector, UTF_8)
                    + (more.isEmpty() ? "" : "&continue=" + URLEncoder.encode(more, UTF_8));
            JsonNode page;
            try (InputStream body = api.open(path, Requests.Form.METADATA_LIST)) {
                page = JSON.readTree(body);
            } catch (ApiFault e) {
                if (e.isNotFound()) {
                    return List.of();
                }
                throw e;
            }
            for (JsonNode item : page.path("items")) {
                JsonNode meta = item.path("metadata");
                found.add(new ObjectKey(
                        apiVersion,
                        plural,
                        new Name(
                                meta.path("namespace").asText(),
                                meta.path("name").asText())));
            }
            more = page.path("metadata").path("continue").asText();
        } while (!more.isEmpty());
        return found;
    }

    @Override
    public Optional<ObjectNode> read(String path) throws IOException, InterruptedException {
        try {
            return Optional.of(object(api.get(path)));
        } catch (ApiFault e) {
            if (e.isNotFound()) {
                return Optional.empty();
            }
            throw e;
        }
    }

    @Override
    public ObjectNode merge(String path, ObjectNode patch) throws IOException, InterruptedException {
        return object(api.send("PATCH", byUs(path), Body.MERGE, JSON.writeValueAsString(patch)));
    }

    private static ObjectNode object(byte[] answer) throws IOException {
        if (JSON.readTree(answer) instanceof ObjectNode object) {
            return object;
        }
        throw new IOException("an answer that is no object");
    }
}
