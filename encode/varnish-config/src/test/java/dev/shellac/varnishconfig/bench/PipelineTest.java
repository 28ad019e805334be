package dev.shellac.varnishconfig.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What is measured is what is meant: each change changes the files, and a change back brings them back. */
final class PipelineTest {
    @Test
    void everyChangeShowsInTheTable() {
        for (Shop.Shape shape : Shop.Shape.values()) {
            var shop = new Shop(shape);
            var pipeline = new Pipeline(shop.snapshot(20));
            String start = pipeline.files().table().hash();
            assertThat(pipeline.files().table().bytes()).asString().contains("/shop-19/v0", "10.0.0.2");
            assertThat(pipeline.change(shop.route(7, 1)).table().hash()).isNotEqualTo(start);
            assertThat(pipeline.change(shop.route(7, 0)).table().hash()).isEqualTo(start);
            assertThat(pipeline.change(shop.slice(7, 1)).table().hash()).isNotEqualTo(start);
            assertThat(pipeline.change(shop.slice(7, 0)).table().hash()).isEqualTo(start);
            assertThat(pipeline.change(shop.service(7, 1)).routing().text()).contains("8081");
        }
    }
}
