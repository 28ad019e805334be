package dev.shellac.varnishconfig;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.networknt.schema.InputFormat;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/** The contract between this module and ghost, as a machine reads it. */
final class GhostSchema {
    private static final JsonSchema SCHEMA = load();

    private GhostSchema() {}

    static void check(String table) {
        Set<?> faults = SCHEMA.validate(table, InputFormat.JSON);
        if (!faults.isEmpty()) {
            throw new AssertionError("not what ghost-json.schema.json asks for: " + faults + "\n" + table);
        }
    }

    private static JsonSchema load() {
        try {
            return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                    .getSchema(Files.readString(Path.of("../../docs/reference/ghost-json.schema.json"), UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
