package dev.shellac.chaperone.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class VarnishMetricsTest {
    @Test
    void namesAreBoundedAndBackendsAreSummed() {
        assertThat(VarnishMetrics.text(new TreeMap<>(Map.of(
                        "MAIN.client_req", 7L,
                        "SMA.s0.g_bytes", 5L,
                        "SMA.Transient.g_bytes", 6L,
                        "VBE.shellac-1.10.0.0.1:80.req", 1L,
                        "VBE.shellac-2.10.0.0.2:80.req", 2L,
                        "VBE.shellac-2.10.0.0.2:80.happy", 255L))))
                .isEqualTo("""
                # TYPE varnish_main_client_req untyped
                varnish_main_client_req 7
                # TYPE varnish_sma_g_bytes untyped
                varnish_sma_g_bytes{name="Transient"} 6
                varnish_sma_g_bytes{name="s0"} 5
                # TYPE varnish_vbe_req untyped
                varnish_vbe_req 3
                """);
    }

    @Test
    void labelsDoNotGrowWithoutEnd() {
        var many = new TreeMap<String, Long>();
        for (int i = 0; i < 500; i++) {
            many.put("MEMPOOL.p" + i + ".live", 1L);
        }
        String text = VarnishMetrics.text(many);
        assertThat(text.lines().count()).isLessThanOrEqualTo(102);
        assertThat(text).contains("{name=\"other\"} 400");
    }
}
