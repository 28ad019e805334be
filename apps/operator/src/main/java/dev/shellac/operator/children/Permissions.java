package dev.shellac.operator.children;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a pod may read: the ConfigMaps and Secrets of its Gateway by name, and EndpointSlices where its routes have Services. It may write
 * nothing.
 */
final class Permissions {
    private static final List<String> READ = List.of("get", "list", "watch");
    private static final String RBAC = "rbac.authorization.k8s.io";

    private Permissions() {}

    static List<HasMetadata> of(DeploymentInput input) {
        ChildMetadata metadata = input.metadata();
        Names names = input.names();
        String home = names.gateway().namespace();
        var objects = new ArrayList<HasMetadata>();
        objects.add(new ServiceAccountBuilder()
                .withMetadata(metadata.meta(names.serviceAccount()))
                .build());
        var rules = new ArrayList<PolicyRule>();
        rules.add(named("configmaps", names.configMaps()));
        rules.add(named(
                "secrets",
                Stream.concat(names.certificateSecrets().stream(), input.formerSecret().stream())
                        .toList()));
        if (input.namespaces().contains(home)) {
            rules.add(slices());
        }
        role(metadata.meta(names.role()), names, rules, objects);
        for (String namespace : input.namespaces()) {
            if (!namespace.equals(home)) {
                role(metadata.foreign(names.foreignRole(), namespace), names, List.of(slices()), objects);
            }
        }
        return objects;
    }

    private static void role(ObjectMeta meta, Names names, List<PolicyRule> rules, List<HasMetadata> objects) {
        objects.add(new RoleBuilder().withMetadata(meta).withRules(rules).build());
        objects.add(binding(meta, names));
    }

    private static RoleBinding binding(ObjectMeta meta, Names names) {
        return new RoleBindingBuilder()
                .withMetadata(meta)
                .withNewRoleRef()
                .withApiGroup(RBAC)
                .withKind("Role")
                .withName(meta.getName())
                .endRoleRef()
                .addNewSubject()
                .withKind("ServiceAccount")
                .withName(names.serviceAccount())
                .withNamespace(names.gateway().namespace())
                .endSubject()
                .build();
    }

    private static PolicyRule named(String resource, List<String> names) {
        return new PolicyRuleBuilder()
                .withApiGroups("")
                .withResources(resource)
                .withResourceNames(names)
                .withVerbs(READ)
                .build();
    }

    private static PolicyRule slices() {
        return new PolicyRuleBuilder()
                .withApiGroups("discovery.k8s.io")
                .withResources("endpointslices")
                .withVerbs(READ)
                .build();
    }
}
