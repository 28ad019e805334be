package dev.shellac.varnishconfig;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.shellac.model.Snapshot;
import dev.shellac.translate.Settings;
import dev.shellac.translate.Translator;
import dev.shellac.varnishconfig.routing.RoutingJson;
import dev.shellac.varnishconfig.table.GhostJson;
import java.io.IOException;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * A pod knows routing.json and not the plan. Entries that agree in all but their backend become one route with a group for each,
 * as readers of the format always did; that must give the vhosts of ghost.json.
 */
final class RoutingCarriesTheTableTest {
    private static final ObjectMapper JACKSON = new ObjectMapper();
    private static final List<String> OF_THE_BACKEND = List.of(
            "service",
            "namespace",
            "port",
            "port_name",
            "service_port",
            "backend_tls",
            "invalid",
            "weight",
            "backend_filters");
    private static final List<String> ROUTING_ALONE = List.of("hostname", "priority", "rule_index");

    @Test
    void theTableFollowsFromRoutingJson() throws IOException {
        for (long seed = 0; seed < 30; seed++) {
            var shop = new RandomShop(seed);
            Snapshot snapshot = shop.start();
            for (int i = 0; i < 10; i++) {
                Inputs inputs = Inputs.of(snapshot, new Translator(Settings.alone()));
                JsonNode routing = JACKSON.readTree(new RoutingJson().encode(inputs.plan()));
                JsonNode ghost = JACKSON.readTree(new GhostJson()
                        .encode(inputs.plan(), inputs.slices(), inputs.sockets())
                        .bytes());
                assertThat(merged(routing)).as("seed %d, edit %d", seed, i).isEqualTo(ghost.get("vhosts"));
                assertThat(new TreeSet<>(names(routing.get("listeners"))))
                        .isEqualTo(new TreeSet<>(names(ghost.get("listeners"))));
                snapshot = shop.edit(snapshot);
            }
        }
    }

    private static ObjectNode merged(JsonNode routing) {
        ObjectNode vhosts = JACKSON.createObjectNode();
        routing.get("vhosts").properties().forEach(host -> {
            ArrayNode routes = vhosts.putObject(host.getKey()).putArray("routes");
            JsonNode last = JACKSON.nullNode();
            for (JsonNode entry : host.getValue().get("routes")) {
                JsonNode key = ((ObjectNode) entry.deepCopy()).remove(OF_THE_BACKEND);
                if (!key.equals(last)) {
                    ObjectNode route = routes.addObject();
                    route.setAll((ObjectNode) key.deepCopy());
                    route.remove(ROUTING_ALONE);
                    mirrors(route);
                    route.putArray("backend_groups");
                }
                last = key;
                group(entry, (ArrayNode) routes.get(routes.size() - 1).get("backend_groups"));
            }
        });
        return vhosts;
    }

    private static void group(JsonNode entry, ArrayNode groups) {
        boolean invalid = entry.path("invalid").asBoolean();
        if (entry.get("service").asText().isEmpty() && !invalid) {
            return;
        }
        ObjectNode group = groups.addObject();
        group.set("weight", entry.get("weight"));
        if (invalid) {
            group.put("invalid", true);
        } else {
            group.put("pool", pool(entry));
        }
        if (entry.has("backend_filters")) {
            group.set("filters", entry.get("backend_filters"));
        }
    }

    private static void mirrors(JsonNode route) {
        for (JsonNode mirror : route.path("filters").path("request_mirrors")) {
            String pool = pool(mirror);
            ((ObjectNode) mirror).remove(OF_THE_BACKEND);
            ((ObjectNode) mirror).put("pool", pool);
        }
    }

    private static String pool(JsonNode backend) {
        return backend.get("namespace").asText() + "/" + backend.get("service").asText() + ":"
                + backend.get("service_port").asInt();
    }

    private static List<String> names(JsonNode object) {
        return object.properties().stream().map(field -> field.getKey()).toList();
    }
}
