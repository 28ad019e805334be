package dev.shellac.operator.children;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.model.policy.GatewayClassParameters.Use;
import dev.shellac.translate.resolve.CacheStorage;
import dev.shellac.translate.resolve.EdgeMemory;
import dev.shellac.translate.resolve.MemoryBudget;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the chaperone is told by its environment. */
final class PodEnvironment {
    static final String FOLDER = "/var/run/varnish";
    static final String VARNISH_FOLDER = FOLDER + "/vsm";
    /** Where the chaperone lays HAProxy's certificates down, in {@link #FOLDER}. */
    static final String KEYS_FOLDER = FOLDER + "/edge";

    static final String TABLE = FOLDER + "/ghost.json";
    static final int DRAIN_DELAY = 5;
    static final int DRAIN_TIMEOUT = 20;
    private static final long KIBI = 1024;
    private static final long MEBI = 1L << 20;

    private PodEnvironment() {}

    static List<EnvVar> of(DeploymentInput input) {
        var values = new LinkedHashMap<String, String>();
        values.put("GATEWAY_NAME", input.gateway().meta().name().name());
        values.put("CONFIGMAP_NAME", input.names().configMap());
        values.put("CERTIFICATES_NAME", input.names().certificates());
        values.put("HEALTH_ADDR", ":" + GatewayDeployment.HEALTH_PORT);
        values.put("WORK_DIR", FOLDER);
        values.put("VARNISH_DIR", VARNISH_FOLDER);
        values.put("GHOST_CONFIG_PATH", TABLE);
        values.put("VCL_PATH", FOLDER + "/main.vcl");
        values.put(
                "VARNISH_LISTEN", input.ports().listen(input.clients().proxyProtocol() == Use.ON ? "PROXY" : "http"));
        values.putAll(memory(input));
        values.put("DRAIN_TOKEN", drainToken(input.gateway().meta().uid()));
        values.put("DRAIN_DELAY", String.valueOf(DRAIN_DELAY));
        values.put("DRAIN_TIMEOUT", String.valueOf(DRAIN_TIMEOUT));
        values.put("LOG_LEVEL", input.platform().logLevel());
        return merged(values, PodParts.of(input.pod()).environment());
    }

    // What the user sets goes before ours.
    private static List<EnvVar> merged(Map<String, String> values, List<EnvVar> own) {
        var variables = new ArrayList<EnvVar>();
        variables.add(field("NAMESPACE", "metadata.namespace"));
        variables.add(field("POD_NAME", "metadata.name"));
        values.forEach((name, value) -> variables.add(
                new EnvVarBuilder().withName(name).withValue(value).build()));
        variables.removeIf(
                variable -> own.stream().anyMatch(other -> other.getName().equals(variable.getName())));
        variables.addAll(own);
        return variables;
    }

    private static EnvVar field(String name, String path) {
        return new EnvVarBuilder()
                .withName(name)
                .withNewValueFrom()
                .withNewFieldRef()
                .withFieldPath(path)
                .endFieldRef()
                .endValueFrom()
                .build();
    }

    private static Map<String, String> memory(DeploymentInput input) {
        MemoryBudget budget = budget(input);
        CacheStorage storage = CacheStorage.of(input.parameters());
        var values = new LinkedHashMap<String, String>();
        values.put("VARNISH_STORAGE", String.join(";", storages(budget, storage)));
        budget.objects(storage).ifPresent(objects -> values.put("GHOST_MEMORY_BUDGET", objects.argument()));
        budget.connections().ifPresent(connections -> values.put("GHOST_CONNECTIONS", String.valueOf(connections)));
        // One a line: an argument may hold a semicolon.
        values.put(
                "VARNISHD_EXTRA_ARGS",
                Stream.concat(bounds(budget, input.ports().count()), storage.otherArguments().stream())
                        .collect(Collectors.joining("\n", "", "\n")));
        return values;
    }

    private static MemoryBudget budget(DeploymentInput input) {
        return MemoryBudget.of(input.pod().memoryLimit())
                .withEdge(EdgeMemory.of(input.clients().connections()).all());
    }

    /** How the image starts the chaperone, with the heap that this pod has room for. A variable with options would be announced at each start. */
    static List<String> command(DeploymentInput input) {
        return List.of(
                "/opt/shellac/runtime/bin/java",
                "-XX:AOTCache=/opt/shellac/aot/chaperone.aot",
                "-Xmx" + budget(input).javaHeap() / MEBI + "m",
                "@/opt/shellac/chaperone.args");
    }

    private static List<String> storages(MemoryBudget budget, CacheStorage storage) {
        var storages = new ArrayList<String>();
        storage.asked().forEach(asked -> storages.add(asked.argument()));
        if (storage.asked().stream().allMatch(CacheStorage.Asked::isTransient)) {
            storages.addFirst("malloc," + CacheStorage.mebi(budget.storageBeside(storage)));
        }
        if (storage.asked().stream().noneMatch(CacheStorage.Asked::isTransient)) {
            storages.add("Transient=malloc," + CacheStorage.mebi(budget.transientBytes()));
        }
        return storages;
    }

    // Threads are few, and a client who does not read holds his for up to a day (send_timeout). Who waits for one is
    // to wait: by itself varnishd sends away all but 20, and ends itself after a minute in which none was free. What
    // lives shortly is in the cache like the rest, where it can be let go; and as many objects are let go as a new
    // one needs room, which may be large where the others are tiny.
    // In each pool every socket keeps a thread to itself that accepts; those come on top of what requests have.
    private static Stream<String> bounds(MemoryBudget budget, int sockets) {
        Stream<String> parameters = Stream.of(
                        "thread_pools=" + MemoryBudget.POOLS,
                        "thread_pool_max=" + (budget.requestThreads(sockets) / MemoryBudget.POOLS + sockets),
                        "thread_queue_limit=500",
                        "thread_pool_watchdog=1200",
                        "transit_buffer=" + budget.transitBuffer() / KIBI + "k",
                        "shortlived=0",
                        "nuke_limit=10000")
                .flatMap(parameter -> Stream.of("-p", parameter));
        return Stream.concat(
                parameters, budget.hashBuckets().stream().flatMap(buckets -> Stream.of("-h", "classic," + buckets)));
    }

    /** What pods and operator share without a Secret; the uid of a Gateway is known to those who may read it. */
    static String drainToken(String uid) {
        return Names.sha256(("varnish-gateway-drain\0" + uid).getBytes(UTF_8));
    }
}
