package dev.shellac.chaperone.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class BackendsFileTest {
    @Test
    void aSectionForEachServiceAndAnEntryForEachEndpoint() throws IOException {
        var file = new BackendsFile(Path.of("unused"), "shop");
        assertThat(file.text("""
                {"shop/foo:80":{"backends":[{"address":"10.0.0.2","port":8080},{"address":"10.0.0.1","port":8080}]},
                 "shop/foo:81":{"backends":[{"address":"10.0.0.1","port":8081}]},
                 "blog/my-api:80":{"backends":[{"address":"fd00::1","port":80}],"backend_tls":{"hostname":"x.example.com"}},
                 "shop/none:80":{"backends":[]}}
                """)).isEqualTo("""
                # Written by the chaperone whenever endpoints change; do not edit.

                [svc_blog_my_api]
                pod_fd00__1_80 = [fd00::1]:80

                [svc_foo]
                pod_10_0_0_1_8080 = 10.0.0.1:8080
                pod_10_0_0_1_8081 = 10.0.0.1:8081
                pod_10_0_0_2_8080 = 10.0.0.2:8080

                [svc_none]
                """);
    }
}
