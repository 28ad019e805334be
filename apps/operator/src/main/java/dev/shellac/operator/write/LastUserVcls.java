package dev.shellac.operator.write;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.shellac.kube.write.KubeWriter;
import dev.shellac.kube.write.ObjectKey;
import dev.shellac.model.Name;
import dev.shellac.model.Snapshot;
import dev.shellac.model.policy.GatewayClassParameters;
import dev.shellac.translate.resolve.UserVcl;
import dev.shellac.varnishconfig.wire.Digest;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

/**
 * The user's VCL that was last in effect, of each ConfigMap and key that parameters name. It stays in effect when its ConfigMap goes, or comes to hold what
 * cannot be used, also when the next process starts: so each is in a ConfigMap of the operator's namespace, until no parameters name it any more.
 */
public final class LastUserVcls implements UserVcls {
    private static final System.Logger LOG = System.getLogger(LastUserVcls.class.getName());
    /** On the ConfigMaps. */
    static final String LABEL = "gateway.varnish-software.com/last-user-vcl";

    private static final String CONFIG_MAP = "gateway.varnish-software.com/config-map";
    private static final String KEY = "gateway.varnish-software.com/config-map-key";
    private static final String TEXT = "vcl.deflated";
    static final int MOST_BYTES = 900 * 1024;

    /** Where the ConfigMaps are. */
    public record Home(KubeWriter kube, String namespace) {}

    private record Ref(Name configMap, String key) {
        static Ref of(UserVcl vcl) {
            return new Ref(vcl.configMap(), vcl.key());
        }
    }

    private final Home home;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Ref, String> texts = new HashMap<>();
    private Optional<WorkQueue> queue = Optional.empty();

    public LastUserVcls(Home home) {
        this.home = home;
    }

    @Override
    public Optional<String> find(Name configMap, String key) {
        lock.lock();
        try {
            return Optional.ofNullable(texts.get(new Ref(configMap, key)));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void inEffect(UserVcl vcl) {
        lock.lock();
        try {
            if (!vcl.text().equals(texts.put(Ref.of(vcl), vcl.text()))) {
                save(Ref.of(vcl));
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void retain(Snapshot snapshot) {
        lock.lock();
        try {
            Collection<GatewayClassParameters> all = snapshot.all(GatewayClassParameters.class);
            // Some that cannot be read name what they did before, for all that is known.
            if (texts.isEmpty()
                    || all.stream().anyMatch(one -> one.meta().decodeError().isPresent())) {
                return;
            }
            Set<Ref> named = all.stream()
                    .flatMap(parameters -> parameters.userVcl().stream())
                    .map(vcl -> new Ref(vcl.configMap(), vcl.key()))
                    .collect(Collectors.toSet());
            for (Ref ref : Set.copyOf(texts.keySet())) {
                if (!named.contains(ref)) {
                    texts.remove(ref);
                    save(ref);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** This process writes from now on, and begins with what the one before it kept. */
    public void lead(WorkQueue writes) throws IOException, InterruptedException {
        String maps = "namespaces/" + home.namespace() + "/configmaps";
        var found = new HashMap<Ref, String>();
        for (ObjectKey key : home.kube().labelled("v1", maps, LABEL + "=true")) {
            Optional<ObjectNode> map =
                    home.kube().read("/api/v1/" + maps + "/" + key.name().name());
            map.ifPresent(object -> read(object, found));
        }
        lock.lock();
        try {
            texts.putAll(found);
            queue = Optional.of(writes);
        } finally {
            lock.unlock();
        }
    }

    private static void read(ObjectNode map, Map<Ref, String> found) {
        JsonNode annotations = map.at("/metadata/annotations");
        String[] name = annotations.path(CONFIG_MAP).asText().split("/", 2);
        try {
            byte[] packed =
                    Base64.getDecoder().decode(map.path("binaryData").path(TEXT).asText());
            if (name.length == 2) {
                found.put(
                        new Ref(
                                new Name(name[0], name[1]),
                                annotations.path(KEY).asText()),
                        new String(Packed.unpack(packed), UTF_8));
            }
        } catch (IOException | IllegalArgumentException e) {
            LOG.log(
                    Level.WARNING,
                    "the VCL that was last in effect cannot be read from {0}: {1}",
                    map.at("/metadata/name").asText(),
                    e.getMessage());
        }
    }

    private void save(Ref ref) {
        queue.ifPresent(writes -> writes.add(
                new WorkQueue.Key(ref.configMap().namespace(), "last user VCL " + ref.configMap() + " " + ref.key()),
                () -> write(ref)));
    }

    private boolean write(Ref ref) throws InterruptedException {
        Optional<String> text = find(ref.configMap(), ref.key());
        ConfigMap wanted = map(ref, Packed.pack(text.orElse("").getBytes(UTF_8)));
        ObjectKey key = ObjectKey.of(wanted);
        try {
            if (text.isPresent()) {
                home.kube().apply(wanted);
                return true;
            }
            Optional<ObjectNode> there = home.kube().read(key.path());
            if (there.isPresent()) {
                home.kube().delete(key, there.get().at("/metadata/uid").asText());
            }
            return true;
        } catch (IOException e) {
            LOG.log(Level.WARNING, "{0} could not be written: {1}", key, e.getMessage());
            return false;
        }
    }

    // A text without room is kept for as long as this process lives.
    private ConfigMap map(Ref ref, byte[] packed) {
        boolean fits = packed.length <= MOST_BYTES;
        if (!fits) {
            LOG.log(Level.WARNING, "the VCL of ConfigMap {0} has no room to be kept", ref.configMap());
        }
        String hash =
                Digest.of((ref.configMap() + " " + ref.key()).getBytes(UTF_8)).substring(0, 16);
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace(home.namespace())
                .withName("last-user-vcl-" + hash)
                .addToLabels(LABEL, "true")
                .addToAnnotations(CONFIG_MAP, ref.configMap().toString())
                .addToAnnotations(KEY, ref.key())
                .endMetadata()
                .withBinaryData(fits ? Map.of(TEXT, Base64.getEncoder().encodeToString(packed)) : Map.of())
                .build();
    }
}
