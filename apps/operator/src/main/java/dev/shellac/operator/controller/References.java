package dev.shellac.operator.controller;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.ObjectRef;
import dev.shellac.model.Resource;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.Namespace;
import dev.shellac.model.gateway.FrontendTls;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.gateway.GatewayClass;
import dev.shellac.model.gateway.Listener;
import dev.shellac.model.gateway.ListenerSet;
import dev.shellac.model.policy.BackendTlsPolicy;
import dev.shellac.model.policy.GatewayClassParameters;
import dev.shellac.translate.attach.Gateways;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The ConfigMaps and Secrets that objects of ours name: VCL of users, authorities, certificates. No other is read.
 *
 * @param controller the controllerName of the classes that are ours
 */
record References(Snapshot snapshot, String controller) {
    /** The kinds whose objects wait for what they name. */
    static final Set<Class<? extends Resource>> HOLDERS =
            Set.of(GatewayClass.class, GatewayClassParameters.class, Gateway.class, ListenerSet.class);

    /** Whether objects that may name others differ. */
    static boolean mayDiffer(Snapshot before, Snapshot now) {
        return !now.changesSince(before, BackendTlsPolicy.class).isEmpty()
                || !now.changesSince(before, Namespace.class).isEmpty()
                || HOLDERS.stream()
                        .anyMatch(kind -> !now.changesSince(before, kind).isEmpty());
    }

    /**
     * All of them.
     *
     * @param policies the BackendTLSPolicies that routes of ours are subject to
     */
    Set<ResourceId> all(Collection<Name> policies) {
        return Stream.of(
                        snapshot.all(GatewayClassParameters.class).stream(),
                        snapshot.all(Gateway.class).stream(),
                        snapshot.all(ListenerSet.class).stream(),
                        policies.stream().flatMap(name -> snapshot.find(BackendTlsPolicy.class, name).stream()))
                .flatMap(holders -> holders)
                .flatMap(this::of)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Those that one object brings in. */
    Stream<ResourceId> of(Resource holder) {
        return switch (holder) {
            case GatewayClassParameters parameters ->
                parameters.userVcl().stream().map(vcl -> new ResourceId(GroupKind.CONFIG_MAP, vcl.configMap()));
            case GatewayClass made ->
                snapshot.all(Gateway.class).stream()
                        .filter(gateway ->
                                gateway.className().equals(made.meta().name().name()))
                        .flatMap(this::of);
            case Gateway gateway when isOurs(gateway) -> ofGateway(gateway);
            case ListenerSet set when isOurs(set) -> certificates(set.listeners(), set);
            case BackendTlsPolicy policy
            when policy.validation().trust() instanceof BackendTlsPolicy.Trust.Authorities authorities ->
                refs(authorities.refs(), policy, GroupKind.CONFIG_MAP);
            default -> Stream.empty();
        };
    }

    private Stream<ResourceId> ofGateway(Gateway gateway) {
        Stream<ResourceId> authorities = gateway.frontendTls().stream()
                .flatMap(References::validations)
                .flatMap(validation -> refs(validation.authorities(), gateway, GroupKind.CONFIG_MAP));
        Stream<ResourceId> client = refs(gateway.clientCertificate().stream().toList(), gateway, GroupKind.SECRET);
        return Stream.of(authorities, client, certificates(gateway.listeners(), gateway))
                .flatMap(ids -> ids);
    }

    private static Stream<ResourceId> certificates(List<Listener> listeners, Resource holder) {
        return listeners.stream()
                .flatMap(listener -> listener.tls().stream())
                .flatMap(tls -> refs(tls.certificates(), holder, GroupKind.SECRET));
    }

    private boolean isOurs(Gateway gateway) {
        return snapshot.find(GatewayClass.class, new Name("", gateway.className()))
                .filter(found -> found.controllerName().equals(controller))
                .isPresent();
    }

    private boolean isOurs(ListenerSet set) {
        return snapshot.find(
                        Gateway.class,
                        set.parent().resolve(set.meta().name().namespace()).name())
                .filter(gateway -> isOurs(gateway) && Gateways.admits(snapshot, gateway, set))
                .isPresent();
    }

    private static Stream<FrontendTls.ClientValidation> validations(FrontendTls tls) {
        return Stream.concat(
                tls.fallback().stream(), tls.byPort().values().stream().flatMap(Optional::stream));
    }

    private static Stream<ResourceId> refs(List<ObjectRef> refs, Resource holder, GroupKind type) {
        return refs.stream()
                .filter(ref -> ref.type().equals(type))
                .map(ref -> ref.resolve(holder.meta().name().namespace()));
    }
}
