package dev.shellac.operator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.shellac.kube.api.ApiFault;
import dev.shellac.kube.api.Requests;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What would be left without an operator. A GatewayClass with Gateways has a finalizer that only the operator removes: uninstalled before its Gateways,
 * it leaves the class terminating and their pods without anybody who takes care of them.
 */
final class UninstallCheck {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String GROUP = "/apis/gateway.networking.k8s.io/v1/";

    private UninstallCheck() {}

    /** The Gateways of our classes, in words; none where the operator may go. */
    static List<String> gateways(Requests api, String controller) throws IOException, InterruptedException {
        var classes = new ArrayList<String>();
        for (JsonNode found : items(api, "gatewayclasses")) {
            if (found.path("spec").path("controllerName").asText().equals(controller)) {
                classes.add(found.path("metadata").path("name").asText());
            }
        }
        var left = new TreeMap<String, String>();
        for (JsonNode gateway : items(api, "gateways")) {
            String className = gateway.path("spec").path("gatewayClassName").asText();
            if (classes.contains(className)) {
                JsonNode meta = gateway.path("metadata");
                left.put(
                        meta.path("namespace").asText() + "/"
                                + meta.path("name").asText(),
                        className);
            }
        }
        return left.entrySet().stream().map(UninstallCheck::words).toList();
    }

    private static String words(Map.Entry<String, String> gateway) {
        return "Gateway " + gateway.getKey() + " of class " + gateway.getValue();
    }

    // Without Gateway API's definitions there is no Gateway.
    private static JsonNode items(Requests api, String plural) throws IOException, InterruptedException {
        try {
            return JSON.readTree(api.get(GROUP + plural)).path("items");
        } catch (ApiFault e) {
            if (e.isNotFound()) {
                return JSON.createArrayNode();
            }
            throw e;
        }
    }
}
