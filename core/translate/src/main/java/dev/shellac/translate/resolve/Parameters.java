package dev.shellac.translate.resolve;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.ObjectRef;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.ConfigMap;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.gateway.GatewayClass;
import dev.shellac.model.policy.GatewayClassParameters;
import dev.shellac.model.policy.GatewayClassParameters.PodSettings;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Parameters of classes and Gateways, and the user's VCL that they lead to. */
public record Parameters(Snapshot snapshot) {
    private static final String HOLDS = "holds the bounds that keep the pod within its memory limit; ";

    /** Variables of a gateway pod, why nobody may set them, and what is to be used in their place. */
    private static final SortedMap<String, String> BOUNDS = new TreeMap<>(Map.of(
            "VARNISHD_EXTRA_ARGS", HOLDS + "varnishdExtraArgs adds to them",
            "VARNISH_STORAGE", HOLDS + "storage and varnishdExtraArgs say what is stored where",
            "GHOST_MEMORY_BUDGET", HOLDS + "storage and varnishdExtraArgs say what is stored where",
            "GHOST_CONNECTIONS", HOLDS + "a larger memory limit has room for more connections",
            "_JAVA_OPTIONS", "would override the chaperone's heap size; use JAVA_TOOL_OPTIONS for other options"));

    public static Parameters of(Snapshot snapshot) {
        return new Parameters(snapshot);
    }

    /** Why the parameters of a class cannot be used. */
    public Optional<Refusal> refusal(GatewayClass ours) {
        return ours.parameters().flatMap(this::refusal);
    }

    /** Why the parameters of a Gateway, or of its class, cannot be used. */
    public Optional<Refusal> refusal(Gateway gateway) {
        return gateway.infrastructure()
                .parameters()
                .flatMap(this::refusal)
                .or(() -> classOf(gateway)
                        .flatMap(this::refusal)
                        .map(why -> new Refusal(
                                why.reason(), "GatewayClass " + gateway.className() + ": " + why.message())));
    }

    private Optional<Refusal> refusal(ObjectRef ref) {
        if (!ref.type().equals(GroupKind.GATEWAY_CLASS_PARAMETERS)) {
            return invalid("parametersRef names a " + ref.type() + "; it must be a GatewayClassParameters");
        }
        Optional<GatewayClassParameters> found = find(ref);
        if (found.isEmpty()) {
            return invalid("GatewayClassParameters " + ref.name() + " does not exist");
        }
        Optional<String> unread = found.get().meta().decodeError();
        if (unread.isPresent()) {
            return invalid("GatewayClassParameters " + ref.name() + ": " + unread.get());
        }
        MemoryBudget budget = MemoryBudget.of(found.get().pod().memoryLimit());
        CacheStorage storage = CacheStorage.of(found);
        return budget.refusal(storage)
                .or(() -> EdgeMemory.refusal(
                        budget, storage, found.get().clients().connections()))
                .or(() -> environmentRefusal(found.get().pod()))
                .flatMap(why -> invalid("GatewayClassParameters " + ref.name() + ": " + why));
    }

    /** What is missing of the user's VCL of a class; its Gateways are served without, or with the text that was last in effect. */
    public Optional<Refusal> missingVcl(GatewayClass ours) {
        return ours.parameters().flatMap(this::find).flatMap(this::missingVcl);
    }

    /** What is missing of the user's VCL of a Gateway. */
    public Optional<Refusal> missingVcl(Gateway gateway) {
        return of(gateway).flatMap(this::missingVcl);
    }

    private Optional<Refusal> missingVcl(GatewayClassParameters parameters) {
        return parameters.userVcl().flatMap(vcl -> {
            Optional<ConfigMap> map = snapshot.find(ConfigMap.class, vcl.configMap());
            String wanted = "GatewayClassParameters " + parameters.meta().name().name() + " takes its VCL from key "
                    + vcl.key() + " of ConfigMap " + vcl.configMap() + ", which ";
            if (text(vcl).isPresent()) {
                return map.flatMap(found -> found.meta().decodeError())
                        .flatMap(why ->
                                invalid(wanted + why + ": the text that was last in effect stays. Create it again,"
                                        + " or remove userVCLConfigMapRef"));
            }
            return invalid(wanted + (map.isPresent() ? "does not have it" : "does not exist")
                    + ": requests are served without it. Create it, or remove userVCLConfigMapRef");
        });
    }

    // In the text of extraEnv a name stands like this, and a value cannot: its quotation marks are escaped there.
    private static Optional<String> environmentRefusal(PodSettings pod) {
        String environment = pod.parts().getOrDefault("extraEnv", "");
        return pod.memoryLimit()
                .flatMap(limit -> BOUNDS.entrySet().stream()
                        .filter(variable -> environment.contains("\"name\":\"" + variable.getKey() + "\""))
                        .map(variable -> "extraEnv sets " + variable.getKey() + ", which " + variable.getValue())
                        .findFirst());
    }

    /** Those that hold for a Gateway: its own before those of its class. */
    public Optional<GatewayClassParameters> of(Gateway gateway) {
        return gateway.infrastructure()
                .parameters()
                .or(() -> classOf(gateway).flatMap(GatewayClass::parameters))
                .flatMap(this::find);
    }

    /** What is in effect otherwise than somebody may expect. */
    public List<String> warnings(Gateway gateway) {
        Optional<GatewayClassParameters> found = of(gateway);
        Optional<String> clients = found.map(GatewayClassParameters::clients)
                .filter(GatewayClassParameters.Clients::believesAnybody)
                .map(
                        anybody ->
                                "proxyProtocol without proxyProtocolFrom: whoever can connect to the pods can claim any client address");
        Optional<String> storage = found.flatMap(
                        parameters -> budget(parameters).objects(CacheStorage.of(found)))
                .flatMap(ObjectMemory::shortfall);
        return Stream.of(clients, storage).flatMap(Optional::stream).toList();
    }

    // As pods have it: connections that were asked for take room from objects.
    private static MemoryBudget budget(GatewayClassParameters parameters) {
        return MemoryBudget.of(parameters.pod().memoryLimit())
                .withEdge(EdgeMemory.of(parameters.clients().connections()).all());
    }

    /** The user's VCL. */
    public Optional<UserVcl> userVcl(Gateway gateway) {
        return of(gateway)
                .flatMap(GatewayClassParameters::userVcl)
                .flatMap(vcl -> text(vcl).map(text -> new UserVcl(vcl.configMap(), vcl.key(), text)));
    }

    private Optional<GatewayClass> classOf(Gateway gateway) {
        return snapshot.find(GatewayClass.class, new Name("", gateway.className()));
    }

    private Optional<GatewayClassParameters> find(ObjectRef ref) {
        return ref.type().equals(GroupKind.GATEWAY_CLASS_PARAMETERS)
                ? snapshot.find(GatewayClassParameters.class, new Name("", ref.name()))
                : Optional.empty();
    }

    private Optional<String> text(GatewayClassParameters.UserVcl vcl) {
        return snapshot.find(ConfigMap.class, vcl.configMap())
                .flatMap(map -> Optional.ofNullable(map.texts().get(vcl.key())));
    }

    private static Optional<Refusal> invalid(String message) {
        return Optional.of(new Refusal(Reason.INVALID_PARAMETERS, message));
    }
}
