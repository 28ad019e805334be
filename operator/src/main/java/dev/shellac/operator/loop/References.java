package dev.shellac.operator.loop;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.ObjectRef;
import dev.shellac.model.Resource;
import dev.shellac.model.Snapshot;
import dev.shellac.model.gateway.FrontendTls;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.policy.BackendTlsPolicy;
import dev.shellac.model.policy.GatewayClassParameters;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The ConfigMaps that a snapshot names: VCL of users, and authorities. No other is read. */
final class References {
    private static final List<Class<? extends Resource>> HOLDERS =
            List.of(GatewayClassParameters.class, BackendTlsPolicy.class, Gateway.class);

    private References() {}

    static boolean mayDiffer(Snapshot before, Snapshot now) {
        return HOLDERS.stream().anyMatch(kind -> !now.changesSince(before, kind).isEmpty());
    }

    static Set<Name> of(Snapshot snapshot) {
        var names = new TreeSet<Name>();
        snapshot.all(GatewayClassParameters.class).stream()
                .flatMap(parameters -> parameters.userVcl().stream())
                .forEach(vcl -> names.add(vcl.configMap()));
        for (BackendTlsPolicy policy : snapshot.all(BackendTlsPolicy.class)) {
            if (policy.validation().trust() instanceof BackendTlsPolicy.Trust.Authorities authorities) {
                configMaps(authorities.refs(), policy).forEach(names::add);
            }
        }
        for (Gateway gateway : snapshot.all(Gateway.class)) {
            gateway.frontendTls().stream()
                    .flatMap(References::validations)
                    .flatMap(validation -> configMaps(validation.authorities(), gateway))
                    .forEach(names::add);
        }
        return names;
    }

    private static Stream<FrontendTls.ClientValidation> validations(FrontendTls tls) {
        return Stream.concat(
                tls.fallback().stream(), tls.byPort().values().stream().flatMap(Optional::stream));
    }

    private static Stream<Name> configMaps(List<ObjectRef> refs, Resource holder) {
        return refs.stream()
                .filter(ref -> ref.type().equals(GroupKind.CONFIG_MAP))
                .map(ref -> ref.resolve(holder.meta().name().namespace()).name());
    }
}
