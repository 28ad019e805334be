package dev.shellac.kube;

import dev.shellac.kube.api.ApiServer;
import dev.shellac.kube.api.Requests;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

/** A client of a server in this process. */
public record Api(KubernetesClient client, Requests requests) implements AutoCloseable {
    public static Api at(String url) {
        KubernetesClient client = new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(io.fabric8.kubernetes.client.Config.empty())
                        .withMasterUrl(url)
                        .withRequestRetryBackoffLimit(0)
                        .build())
                .build();
        return new Api(client, ApiServer.of(client));
    }

    @Override
    public void close() {
        client.close();
    }
}
