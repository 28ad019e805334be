package dev.shellac.operator.pods;

import dev.shellac.model.DataPlane;
import dev.shellac.model.DataPlane.LateCertificates;
import dev.shellac.model.DataPlane.TableRefusal;
import dev.shellac.model.Name;
import dev.shellac.model.gateway.AddressRequest;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.status.Address;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the pods and Services of a Gateway come to, as far as it shows in its status. */
public final class DataPlanes {
    /** How long a load balancer has to give what was asked of it. */
    public static final Duration GRANTED_WITHIN = Duration.ofSeconds(5);

    /**
     * Everything that is known of one Gateway's data plane.
     *
     * @param states by the uid of the pod
     * @param silent the uids of pods that do not answer
     * @param certificates the Secret that a file of the pods was made from
     * @param versions which of the certificates each pod has
     * @param since when each address that the Gateway asks for was first seen to be asked for
     * @param obstacles objects that have the names of its children and are not its own
     */
    public record View(
            Gateway gateway,
            List<Pod> pods,
            Map<String, PodState> states,
            Set<String> silent,
            List<GatewayService> services,
            Map<String, Name> certificates,
            CertificateVersions versions,
            Map<String, Instant> since,
            Obstacles obstacles,
            Instant now) {
        public View {
            pods = List.copyOf(pods);
            states = Map.copyOf(states);
            silent = Set.copyOf(silent);
            services = List.copyOf(services);
            certificates = Map.copyOf(certificates);
            since = Map.copyOf(since);
        }
    }

    private DataPlanes() {}

    public static DataPlane of(View view, Generations generations) {
        generations.keep(view.pods().stream().map(Pod::uid).collect(Collectors.toSet()));
        List<PodState> states = view.pods().stream()
                .filter(pod -> !pod.ending())
                .flatMap(pod -> state(view, pod).stream())
                .toList();
        List<TableRefusal> refusals = states.stream()
                .flatMap(state -> state.refusals().stream())
                .distinct()
                .toList();
        return new DataPlane(
                addresses(view),
                unusable(view),
                Map.of(),
                refusals,
                refusedCertificates(view, states),
                late(view),
                generations
                        .vclFault()
                        .or(() -> states.stream()
                                .filter(state -> !generations.hasNewestVcl(state))
                                .flatMap(state -> state.vclRefused().stream())
                                .findFirst()),
                view.obstacles().conflicts(),
                pending(view, generations),
                fault(view, unready(view)));
    }

    private static Map<Name, String> refusedCertificates(View view, List<PodState> states) {
        var refused = new HashMap<Name, String>();
        for (PodState state : states) {
            state.leftOut()
                    .forEach((file, words) -> Optional.ofNullable(
                                    view.certificates().get(file))
                            .ifPresent(secret -> refused.putIfAbsent(secret, words)));
        }
        return refused;
    }

    // A pod that is not ready serves nobody, and one that was not heard is no news.
    private static LateCertificates late(View view) {
        var secrets = new HashMap<Name, String>();
        Optional<String> overdue = Optional.empty();
        for (Pod pod : view.pods()) {
            Optional<PodState> state = state(view, pod).filter(found -> pod.ready() && !pod.ending());
            if (state.isEmpty()) {
                continue;
            }
            String name = "pod " + pod.name().name() + " ";
            String faults = faults(view, List.of(pod));
            view.versions()
                    .late(state.get(), view.now())
                    .forEach((file, words) -> Optional.ofNullable(
                                    view.certificates().get(file))
                            .ifPresent(secret -> secrets.putIfAbsent(secret, name + words + faults)));
            overdue = overdue.or(
                    () -> view.versions().overdue(state.get(), view.now()).map(words -> name + words + faults));
        }
        return new LateCertificates(secrets, overdue);
    }

    private static Optional<PodState> state(View view, Pod pod) {
        return Optional.ofNullable(view.states().get(pod.uid()));
    }

    private static List<Address> addresses(View view) {
        List<String> asked = asked(view.gateway());
        return view.services().stream()
                .flatMap(service -> service.granted().stream())
                .filter(address -> asked.isEmpty() || asked.contains(address.value()))
                .distinct()
                .toList();
    }

    /** The addresses that a Gateway names. */
    public static List<String> asked(Gateway gateway) {
        return gateway.addresses().stream()
                .map(AddressRequest::value)
                .flatMap(Optional::stream)
                .filter(value -> !value.isEmpty())
                .toList();
    }

    /** Whether it is open what becomes of an address that a Gateway names. */
    public static boolean isWaitingForAddress(Gateway gateway, Optional<DataPlane> report) {
        int settled = report.map(found ->
                        found.addresses().size() + found.unusableAddresses().size())
                .orElse(0);
        return settled < asked(gateway).size();
    }

    private static Map<String, String> unusable(View view) {
        List<Address> granted = addresses(view);
        var unusable = new LinkedHashMap<String, String>();
        for (String address : asked(view.gateway())) {
            boolean isGranted = granted.stream().anyMatch(found -> found.value().equals(address));
            Instant since = view.since().getOrDefault(address, view.now());
            if (!isGranted && !since.plus(GRANTED_WITHIN).isAfter(view.now())) {
                unusable.put(address, "no load balancer has given it within " + GRANTED_WITHIN.toSeconds() + " s");
            }
        }
        return unusable;
    }

    private static Optional<String> pending(View view, Generations generations) {
        long wanted = view.gateway().meta().generation();
        List<Pod> pods = view.pods().stream().filter(pod -> !pod.ending()).toList();
        if (generations.fault().isPresent()) {
            return generations.fault();
        }
        Optional<String> leaving = view.obstacles().leaving().stream().findFirst();
        if (leaving.isPresent()) {
            return leaving;
        }
        if (generations.newest().isEmpty()) {
            return Optional.of("its configuration is not written yet");
        }
        if (pods.isEmpty()) {
            return Optional.of("it has no pod yet");
        }
        List<Pod> ready = pods.stream().filter(Pod::ready).toList();
        if (ready.isEmpty()) {
            return Optional.of("none of its " + pods.size() + " pods is ready yet" + faults(view, pods));
        }
        return ready.stream()
                .filter(pod -> generations.of(pod, state(view, pod)) < wanted && !isUnknown(view, pod, generations))
                .findFirst()
                .map(late -> late(view, late, wanted));
    }

    // Pods of an earlier release, or of an earlier image, are ready until others are: what keeps those is the reason.
    private static String late(View view, Pod late, long wanted) {
        Optional<String> fault = fault(view, unready(view)).or(() -> fault(view, List.of(late)));
        boolean isSilent = view.silent().contains(late.uid());
        if (fault.isPresent() && fault.equals(stranger(view, late))) {
            return fault.orElseThrow();
        }
        return "pod " + late.name().name()
                + (isSilent ? " does not answer the operator" : " does not serve generation " + wanted + " yet")
                + fault.map(why -> ": " + why).orElse("");
    }

    private static List<Pod> unready(View view) {
        return view.pods().stream().filter(pod -> !pod.ending() && !pod.ready()).toList();
    }

    // A pod that is new, or all of them for an operator that is: a Gateway that was programmed stays so until somebody
    // knows better.
    private static boolean isUnknown(View view, Pod pod, Generations generations) {
        boolean unheard = state(view, pod).isEmpty() && !view.silent().contains(pod.uid());
        boolean unrecognised = state(view, pod).isPresent() && generations.isNew();
        return (unheard || unrecognised)
                && view.gateway()
                        .status()
                        .conditions()
                        .find("Programmed")
                        .filter(condition -> condition.holds()
                                && condition.observedGeneration()
                                        == view.gateway().meta().generation())
                        .isPresent();
    }

    private static String faults(View view, List<Pod> pods) {
        return fault(view, pods).map(why -> ": " + why).orElse("");
    }

    private static Optional<String> fault(View view, List<Pod> pods) {
        Stream<String> obstacles = pods.stream()
                .flatMap(pod -> pod.obstacle().map(why -> "pod " + pod.name().name() + ", " + why).stream());
        Stream<String> faults = pods.stream()
                .flatMap(pod -> state(view, pod).stream())
                .flatMap(state -> Stream.concat(state.faults().stream(), state.complaints().stream()));
        Stream<String> strangers = pods.stream().flatMap(pod -> stranger(view, pod).stream());
        return Stream.of(obstacles, faults, strangers).flatMap(words -> words).findFirst();
    }

    // One that has answered once has a chaperone.
    private static Optional<String> stranger(View view, Pod pod) {
        return view.silent().contains(pod.uid()) && state(view, pod).isEmpty()
                ? Optional.of("pod " + pod.name().name() + " does not answer the operator; its image is " + pod.image()
                        + ", which must have Shellac's chaperone")
                : Optional.empty();
    }
}
