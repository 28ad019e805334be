package dev.shellac.operator.write;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.shellac.decode.Decoder;
import dev.shellac.decode.Source;
import dev.shellac.kube.watch.ClusterWatch;
import dev.shellac.kube.watch.Definitions;
import dev.shellac.kube.watch.NamespaceShares;
import dev.shellac.kube.write.KubeWriter;
import dev.shellac.kube.write.ObjectKey;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.Resource;
import dev.shellac.model.ResourceId;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.varnishconfig.wire.Digest;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The last valid form of each route, for one that is edited to something that this release cannot read. It stays in effect, also when the next process starts: so
 * the forms of routes that are invalid now are in ConfigMaps of the operator's namespace, one for each namespace with such routes, so that nobody fills up the room
 * of others.
 */
public final class LastValidRoutes implements ClusterWatch.Handler {
    private static final System.Logger LOG = System.getLogger(LastValidRoutes.class.getName());
    /** On the ConfigMaps. */
    static final String LABEL = "gateway.varnish-software.com/last-valid-routes";

    private static final String NAMESPACE = "gateway.varnish-software.com/namespace";
    static final int MOST_BYTES = 900 * 1024;

    private static final class Form {
        private final String uid;
        private final byte[] packed;

        Form(String uid, byte[] packed) {
            this.uid = uid;
            this.packed = packed;
        }
    }

    /** Where the ConfigMaps are. */
    public record Home(KubeWriter kube, String namespace) {}

    private final ClusterWatch.Handler next;
    private final Home home;
    private final NamespaceShares shares;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Name, Form> forms = new HashMap<>();
    /** The uids of routes that are invalid now. */
    private final Map<Name, String> invalid = new HashMap<>();

    private Optional<WorkQueue> queue = Optional.empty();

    public LastValidRoutes(ClusterWatch.Handler next, Home home, NamespaceShares shares) {
        this.next = next;
        this.home = home;
        this.shares = shares;
    }

    /** The last valid form of a route. */
    public Optional<HttpRoute> find(Name name, String uid) {
        Optional<Form> form;
        lock.lock();
        try {
            form = Optional.ofNullable(forms.get(name)).filter(found -> found.uid.equals(uid));
        } finally {
            lock.unlock();
        }
        return form.flatMap(found -> decoded(name, found));
    }

    private static Optional<HttpRoute> decoded(Name name, Form form) {
        try {
            byte[] json = Packed.unpack(form.packed);
            return Decoder.decodeStored(List.of(Source.of(name + ".json", json))).objects().stream()
                    .map(object -> object.resource())
                    .filter(resource -> resource instanceof HttpRoute
                            && resource.meta().decodeError().isEmpty())
                    .map(HttpRoute.class::cast)
                    .findFirst();
        } catch (IOException e) {
            LOG.log(Level.WARNING, "the last valid form of {0} cannot be read: {1}", name, e.getMessage());
            return Optional.empty();
        }
    }

    @Override
    public void raw(Resource resource, byte[] json) {
        if (!(resource instanceof HttpRoute)) {
            return;
        }
        Name name = resource.meta().name();
        String uid = resource.meta().uid();
        boolean isValid = resource.meta().decodeError().isEmpty();
        Optional<byte[]> packed = isValid ? Optional.of(Packed.pack(json)) : Optional.empty();
        lock.lock();
        try {
            packed.ifPresent(bytes -> forms.put(name, new Form(uid, bytes)));
            boolean changed = isValid ? invalid.remove(name) != null : !uid.equals(invalid.put(name, uid));
            if (changed) {
                save(name.namespace());
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void there(Resource resource) {
        next.there(resource);
    }

    @Override
    public void gone(Class<? extends Resource> kind, Name name) {
        if (kind.equals(HttpRoute.class)) {
            lock.lock();
            try {
                forms.remove(name);
                if (invalid.remove(name) != null) {
                    save(name.namespace());
                }
            } finally {
                lock.unlock();
            }
        }
        next.gone(kind, name);
    }

    @Override
    public void unreadable(ClusterWatch.Unreadable object) {
        next.unreadable(object);
    }

    @Override
    public void defined(Definitions definitions) {
        next.defined(definitions);
    }

    @Override
    public void read() {
        next.read();
    }

    /** This process writes from now on, and begins with what the one before it kept. */
    public void lead(WorkQueue writes) throws IOException, InterruptedException {
        var namespaces = new TreeSet<String>();
        var found = new HashMap<String, Form>();
        String maps = "namespaces/" + home.namespace() + "/configmaps";
        for (ObjectKey key : home.kube().labelled("v1", maps, LABEL + "=true")) {
            Optional<ObjectNode> map =
                    home.kube().read("/api/v1/" + maps + "/" + key.name().name());
            if (map.isPresent()) {
                String namespace =
                        map.get().at("/metadata/annotations").path(NAMESPACE).asText();
                namespaces.add(namespace);
                for (Map.Entry<String, JsonNode> entry :
                        map.get().path("binaryData").properties()) {
                    byte[] packed = Base64.getDecoder().decode(entry.getValue().asText());
                    found.put(entry.getKey(), new Form(entry.getKey(), packed));
                }
            }
        }
        lock.lock();
        try {
            invalid.forEach((name, uid) -> Optional.ofNullable(found.get(uid))
                    .filter(form -> !forms.containsKey(name) && hasRoom(name, form))
                    .ifPresent(form -> forms.put(name, form)));
            queue = Optional.of(writes);
            invalid.keySet().forEach(name -> namespaces.add(name.namespace()));
            namespaces.forEach(this::save);
        } finally {
            lock.unlock();
        }
    }

    // It is decoded again, and may be many times larger than it is packed.
    private boolean hasRoom(Name name, Form form) {
        try {
            boolean fits = shares.restore(
                    new ResourceId(GroupKind.HTTP_ROUTE, name), NamespaceShares.weight(Packed.unpack(form.packed)));
            if (!fits) {
                LOG.log(Level.WARNING, "the last valid form of {0} is more than the share of its namespace", name);
            }
            return fits;
        } catch (IOException e) {
            LOG.log(Level.WARNING, "the last valid form of {0} cannot be read: {1}", name, e.getMessage());
            return false;
        }
    }

    private void save(String namespace) {
        queue.ifPresent(
                writes -> writes.add(new WorkQueue.Key(namespace, "last valid routes"), () -> write(namespace)));
    }

    private boolean write(String namespace) throws InterruptedException {
        ConfigMap wanted = wanted(namespace);
        try {
            if (!wanted.getBinaryData().isEmpty()) {
                home.kube().apply(wanted);
                return true;
            }
            Optional<ObjectNode> there = home.kube().read(ObjectKey.of(wanted).path());
            if (there.isPresent()) {
                home.kube()
                        .delete(
                                ObjectKey.of(wanted),
                                there.get().at("/metadata/uid").asText());
            }
            return true;
        } catch (IOException e) {
            LOG.log(Level.WARNING, "{0} could not be written: {1}", ObjectKey.of(wanted), e.getMessage());
            return false;
        }
    }

    private ConfigMap wanted(String namespace) {
        var data = new TreeMap<String, String>();
        int bytes = 0;
        lock.lock();
        try {
            for (Map.Entry<Name, String> route : new TreeMap<>(invalid).entrySet()) {
                Form form = forms.get(route.getKey());
                if (form == null
                        || !form.uid.equals(route.getValue())
                        || !route.getKey().namespace().equals(namespace)) {
                    continue;
                }
                if (bytes + form.packed.length > MOST_BYTES) {
                    LOG.log(Level.WARNING, "the last valid form of {0} has no room", route.getKey());
                    continue;
                }
                bytes += form.packed.length;
                data.put(form.uid, Base64.getEncoder().encodeToString(form.packed));
            }
        } finally {
            lock.unlock();
        }
        String hash = Digest.of(namespace.getBytes(UTF_8)).substring(0, 16);
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace(home.namespace())
                .withName("last-valid-routes-" + hash)
                .addToLabels(LABEL, "true")
                .addToAnnotations(NAMESPACE, namespace)
                .endMetadata()
                .withBinaryData(data)
                .build();
    }
}
