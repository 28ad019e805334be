package dev.shellac.model;

import dev.shellac.model.core.ConfigMap;
import dev.shellac.model.core.EndpointSlice;
import dev.shellac.model.core.Namespace;
import dev.shellac.model.core.SecretObject;
import dev.shellac.model.core.Service;
import dev.shellac.model.gateway.Gateway;
import dev.shellac.model.gateway.GatewayClass;
import dev.shellac.model.gateway.ListenerSet;
import dev.shellac.model.policy.BackendTlsPolicy;
import dev.shellac.model.policy.CacheInvalidation;
import dev.shellac.model.policy.CachePolicy;
import dev.shellac.model.policy.GatewayClassParameters;
import dev.shellac.model.policy.ReferenceGrant;
import dev.shellac.model.route.HttpRoute;

/** An input object. */
public sealed interface Resource
        permits GatewayClass,
                Gateway,
                ListenerSet,
                HttpRoute,
                ReferenceGrant,
                BackendTlsPolicy,
                Service,
                EndpointSlice,
                Namespace,
                SecretObject,
                ConfigMap,
                GatewayClassParameters,
                CachePolicy,
                CacheInvalidation {
    Metadata meta();

    GroupKind type();

    default ResourceId id() {
        return new ResourceId(type(), meta().name());
    }
}
