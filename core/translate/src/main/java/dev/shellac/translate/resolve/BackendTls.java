package dev.shellac.translate.resolve;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Metadata;
import dev.shellac.model.Name;
import dev.shellac.model.ObjectRef;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Snapshot;
import dev.shellac.model.policy.BackendTlsPolicy;
import dev.shellac.model.policy.BackendTlsPolicy.Target;
import dev.shellac.model.policy.BackendTlsPolicy.Trust;
import dev.shellac.translate.Settings.Upstream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * BackendTLSPolicies: which one counts for a port of a Service, and what is to be said about each. A policy that counts but
 * cannot be kept withholds the backend: never plain text where TLS was asked for. Where the data plane speaks no TLS to backends, none can be kept.
 */
public final class BackendTls {
    static final String UNSUPPORTED = "TLS to backends is not supported yet";

    /** What was found out about a policy. */
    public record Verdict(
            BackendTlsPolicy policy,
            Optional<Refusal> conflict,
            Optional<Refusal> refusal,
            Optional<Refusal> refs,
            List<ResourceId> authorities) {
        public Verdict {
            authorities = List.copyOf(authorities);
        }
    }

    private record Key(Name service, Optional<String> section) {}

    /** All that a backend sees of a policy. */
    private record Protection(
            ResourceId policy,
            BackendTlsPolicy.Validation validation,
            Optional<Refusal> refusal,
            List<ResourceId> authorities) {}

    private final Map<Key, Verdict> winners = new HashMap<>();
    private final Map<Name, Verdict> verdicts = new LinkedHashMap<>();
    private final Map<ResourceId, List<Name>> policies = new HashMap<>();

    private final Upstream upstream;

    private BackendTls(Upstream upstream) {
        this.upstream = upstream;
    }

    public static BackendTls of(Snapshot snapshot, Upstream upstream) {
        var table = new BackendTls(upstream);
        Certificates certificates = Certificates.of(snapshot);
        snapshot.all(BackendTlsPolicy.class).stream()
                .sorted(Comparator.comparing(BackendTlsPolicy::meta, Metadata.byAge()))
                .forEach(policy -> table.add(policy, certificates));
        return table;
    }

    public List<Verdict> verdicts() {
        return List.copyOf(verdicts.values());
    }

    /** About the policies that name this object as their target, whether they count or not. */
    public List<Verdict> verdictsAbout(ResourceId target) {
        return policies.getOrDefault(target, List.of()).stream()
                .flatMap(name -> Stream.ofNullable(verdicts.get(name)))
                .toList();
    }

    public static Stream<ResourceId> targets(BackendTlsPolicy policy) {
        String home = policy.meta().name().namespace();
        return policy.targets().stream().map(target -> ResourceId.of(target.type(), home, target.name()));
    }

    /** The Services with a port that is not protected here as it is there. */
    public Set<Name> servicesUnlike(BackendTls other) {
        return Stream.concat(winners.keySet().stream(), other.winners.keySet().stream())
                .filter(key -> !protection(key).equals(other.protection(key)))
                .map(Key::service)
                .collect(Collectors.toSet());
    }

    private Optional<Protection> protection(Key key) {
        return Optional.ofNullable(winners.get(key))
                .map(winner -> new Protection(
                        winner.policy().id(), winner.policy().validation(), winner.refusal(), winner.authorities()));
    }

    Upstream upstream() {
        return upstream;
    }

    /** The backend with the TLS that a policy asks for; that of a section counts before that of the whole Service. */
    Backend protect(Name service, Backend.Serving backend) {
        Verdict winner = backend.portName()
                .map(name -> winners.get(new Key(service, Optional.of(name))))
                .orElse(winners.get(new Key(service, Optional.empty())));
        if (winner == null) {
            return backend;
        }
        ResourceId id = winner.policy().id();
        if (upstream == Upstream.PLAIN) {
            return new Backend.Refused(new Refusal(
                    Reason.UNSUPPORTED_PROTOCOL,
                    id + " asks for TLS to Service " + service + ", and " + UNSUPPORTED
                            + ": requests for it are answered 500"));
        }
        if (winner.refusal().isPresent()) {
            return new Backend.Withheld(
                    id, id + " cannot be kept: " + winner.refusal().get().message());
        }
        var tls = new Backend.Tls(
                id,
                winner.policy().validation().hostname(),
                winner.authorities(),
                winner.policy().validation().subjectAltNames());
        return new Backend.Serving(
                backend.service(),
                backend.port(),
                backend.target(),
                backend.portName(),
                backend.protocol(),
                Optional.of(tls));
    }

    // Policies come oldest first: the first to name a target has it.
    private void add(BackendTlsPolicy policy, Certificates certificates) {
        Optional<Refusal> held = Optional.empty();
        var free = new ArrayList<Key>();
        for (Target target : policy.targets()) {
            if (!target.type().equals(GroupKind.SERVICE)) {
                continue;
            }
            var key = new Key(new Name(policy.meta().name().namespace(), target.name()), target.sectionName());
            Verdict holder = winners.get(key);
            if (holder == null) {
                free.add(key);
            } else {
                held = Optional.of(new Refusal(
                        Reason.CONFLICTED,
                        holder.policy().id() + " is older and already decides about Service " + key.service()
                                + target.sectionName()
                                        .map(name -> " port " + name)
                                        .orElse("")));
            }
        }
        Optional<Refusal> conflict = held;
        Verdict verdict = verdictOnDecodeError(policy, conflict)
                .orElseGet(() -> spoken(verdictOn(policy, conflict, certificates)));
        verdicts.put(policy.meta().name(), verdict);
        targets(policy)
                .forEach(target -> policies.computeIfAbsent(target, found -> new ArrayList<>())
                        .add(policy.meta().name()));
        free.forEach(key -> winners.put(key, verdict));
    }

    // It asks for TLS in terms that are not understood here, so that nobody can be trusted.
    private static Optional<Verdict> verdictOnDecodeError(BackendTlsPolicy policy, Optional<Refusal> conflict) {
        return policy.meta()
                .decodeError()
                .map(why -> new Verdict(
                        policy,
                        conflict,
                        Optional.of(new Refusal(
                                Reason.INVALID,
                                "this version of the policy is invalid: " + why
                                        + "; requests for the Services that it names are answered 500, and none is sent"
                                        + " in plain text")),
                        Optional.empty(),
                        List.of()));
    }

    private Verdict spoken(Verdict verdict) {
        return upstream == Upstream.TLS || verdict.refusal().isPresent()
                ? verdict
                : new Verdict(
                        verdict.policy(),
                        verdict.conflict(),
                        Optional.of(new Refusal(
                                Reason.INVALID,
                                UNSUPPORTED + ": requests for the Services that the policy names are answered 500,"
                                        + " and none is sent in plain text")),
                        verdict.refs(),
                        verdict.authorities());
    }

    private static Verdict verdictOn(BackendTlsPolicy policy, Optional<Refusal> conflict, Certificates certificates) {
        return switch (policy.validation().trust()) {
            case Trust.WellKnown known -> {
                Optional<Refusal> refusal = known.name().equals("System")
                        ? Optional.empty()
                        : Optional.of(new Refusal(
                                Reason.INVALID,
                                "wellKnownCACertificates " + known.name() + " is not known here: use System"));
                yield new Verdict(policy, conflict, refusal, Optional.empty(), List.of());
            }
            case Trust.Authorities authorities -> {
                var found = new ArrayList<ResourceId>();
                Optional<Refusal> refs = Optional.empty();
                for (ObjectRef ref : authorities.refs()) {
                    switch (certificates.authority(policy.id(), ref, Reason.INVALID_KIND)) {
                        case Resolved.Found<ResourceId> good -> found.add(good.value());
                        case Resolved.Refused<ResourceId> bad -> refs = refs.or(() -> Optional.of(bad.why()));
                    }
                }
                Optional<Refusal> refusal = found.isEmpty()
                        ? refs.map(why -> new Refusal(Reason.NO_VALID_CA_CERTIFICATE, why.message()))
                        : Optional.empty();
                yield new Verdict(policy, conflict, refusal, refs, found);
            }
        };
    }
}
