package dev.shellac.kube.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ApiServerTest {
    // With HTTP/2 the hundredth watch ends all requests: "too many concurrent streams".
    @Test
    void eachWatchHasAConnectionOfItsOwn() {
        assertThat(ApiServer.configuration().isHttp2Disable()).isTrue();
    }
}
