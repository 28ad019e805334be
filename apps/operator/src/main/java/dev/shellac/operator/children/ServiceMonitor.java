package dev.shellac.operator.children;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.Map;

/** What Prometheus' operator reads, of which fabric8 has no class. */
@Group("monitoring.coreos.com")
@Version("v1")
@Plural("servicemonitors")
public final class ServiceMonitor extends CustomResource<Map<String, Object>, Void> implements Namespaced {
    private static final long serialVersionUID = 1;
}
