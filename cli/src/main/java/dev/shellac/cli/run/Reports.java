package dev.shellac.cli.run;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import dev.shellac.model.DataPlane;
import dev.shellac.model.DataPlane.TableRefusal;
import dev.shellac.model.Name;
import dev.shellac.model.status.Address;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Map;

/** What the data planes report, as JSON, for other commands to read. */
final class Reports {
    private static final JsonFactory FACTORY = new JsonFactory();

    private Reports() {}

    static String print(Map<Name, DataPlane> reports) throws IOException {
        var text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            json.setPrettyPrinter(new DefaultPrettyPrinter());
            json.writeStartObject();
            for (Map.Entry<Name, DataPlane> report : reports.entrySet()) {
                json.writeObjectFieldStart(report.getKey().toString());
                print(json, report.getValue());
                json.writeEndObject();
            }
            json.writeEndObject();
        }
        return text.append('\n').toString();
    }

    private static void print(JsonGenerator json, DataPlane report) throws IOException {
        json.writeArrayFieldStart("addresses");
        for (Address address : report.addresses()) {
            json.writeStartObject();
            json.writeStringField("type", address.type());
            json.writeStringField("value", address.value());
            json.writeEndObject();
        }
        json.writeEndArray();
        words(json, "unusableAddresses", report.unusableAddresses());
        words(json, "unavailablePorts", report.unavailablePorts());
        json.writeArrayFieldStart("refusals");
        for (TableRefusal refusal : report.refusals()) {
            json.writeStartObject();
            json.writeStringField("route", refusal.route().toString());
            json.writeNumberField("rule", refusal.rule());
            json.writeNumberField("match", refusal.match());
            json.writeStringField("message", refusal.message());
            json.writeEndObject();
        }
        json.writeEndArray();
        if (report.vclFault().isPresent()) {
            json.writeStringField("vclFault", report.vclFault().get());
        }
    }

    private static void words(JsonGenerator json, String name, Map<?, String> words) throws IOException {
        json.writeObjectFieldStart(name);
        for (Map.Entry<?, String> entry : words.entrySet()) {
            json.writeStringField(entry.getKey().toString(), entry.getValue());
        }
        json.writeEndObject();
    }
}
