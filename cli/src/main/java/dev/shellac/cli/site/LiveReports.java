package dev.shellac.cli.site;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.shellac.model.DataPlane;
import dev.shellac.model.DataPlane.TableRefusal;
import dev.shellac.model.Name;
import dev.shellac.model.Port;
import dev.shellac.model.status.Address;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** What a running {@code shellac run} wrote into its state folder. Nothing, if it has ended or was killed. */
public final class LiveReports implements LiveState {
    private static final JsonMapper JSON = new JsonMapper();

    private final Path folder;

    private LiveReports(Path folder) {
        this.folder = folder;
    }

    public static LiveReports in(Path stateFolder) {
        return new LiveReports(stateFolder);
    }

    @Override
    public Map<Name, DataPlane> reports() {
        try {
            return isServed() ? read(JSON.readTree(Files.readString(folder.resolve("reports.json")))) : Map.of();
        } catch (IOException e) {
            // Not there yet, or not any more.
            return Map.of();
        }
    }

    // Who serves holds the lock for as long as it lives.
    private boolean isServed() throws IOException {
        Path file = folder.resolve("lock");
        if (!Files.exists(file)) {
            return false;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock()) {
            return lock == null;
        }
    }

    private static Map<Name, DataPlane> read(JsonNode root) {
        var reports = new HashMap<Name, DataPlane>();
        root.properties().forEach(report -> reports.put(name(report.getKey()), report(report.getValue())));
        return reports;
    }

    private static DataPlane report(JsonNode json) {
        var addresses = new ArrayList<Address>();
        json.path("addresses")
                .forEach(found -> addresses.add(new Address(
                        found.path("type").asText(), found.path("value").asText())));
        var unusable = new HashMap<String, String>();
        json.path("unusableAddresses")
                .properties()
                .forEach(found -> unusable.put(found.getKey(), found.getValue().asText()));
        var ports = new HashMap<Port, String>();
        json.path("unavailablePorts")
                .properties()
                .forEach(found -> ports.put(
                        new Port(Integer.parseInt(found.getKey())),
                        found.getValue().asText()));
        var refusals = new ArrayList<TableRefusal>();
        json.path("refusals")
                .forEach(found -> refusals.add(new TableRefusal(
                        name(found.path("route").asText()),
                        found.path("rule").asInt(),
                        found.path("match").asInt(),
                        found.path("message").asText())));
        return new DataPlane(
                addresses,
                unusable,
                ports,
                refusals,
                Optional.ofNullable(json.get("vclFault")).map(JsonNode::asText));
    }

    private static Name name(String text) {
        int slash = text.indexOf('/');
        return new Name(text.substring(0, Math.max(slash, 0)), text.substring(slash + 1));
    }
}
