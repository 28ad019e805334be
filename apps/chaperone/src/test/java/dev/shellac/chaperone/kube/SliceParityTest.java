package dev.shellac.chaperone.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParser;
import dev.shellac.decode.Decoded;
import dev.shellac.decode.Decoder;
import dev.shellac.decode.Source;
import dev.shellac.model.Metadata;
import dev.shellac.model.core.EndpointSlice;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A pod makes of an EndpointSlice what the decoder of the operator and the command line makes of it. */
final class SliceParityTest {
    private static final String WEB = "\"kubernetes.io/service-name\":\"web\"";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'addressType':'IPv4','endpoints':[{'addresses':['10.0.0.1']}],'ports':[{'port':80}]",
                "'addressType':'IPv6','endpoints':[{'addresses':['fd00::1','fd00::2']}],'ports':[{'name':'http','port':8080}]",
                "'addressType':'FQDN','endpoints':[{'addresses':['example.com']}],'ports':[{'port':443}]",
                "'addressType':'IPv4'",
                "'addressType':'IPv4','endpoints':null,'ports':null",
                "'addressType':'IPv4','endpoints':[],'ports':[]",
                "'addressType':'IPv4','endpoints':[{'addresses':['10.0.0.1'],'conditions':{}}]",
                "'addressType':'IPv4','endpoints':[{'addresses':['10.0.0.1'],'conditions':null}]",
                "'addressType':'IPv4','endpoints':[{'addresses':['10.0.0.1'],'conditions':{'ready':null}}]",
                "'addressType':'IPv4','endpoints':[{'addresses':['10.0.0.1'],'conditions':{'ready':true,'terminating':true}}]",
                "'addressType':'IPv4','endpoints':[{'addresses':['10.0.0.1'],'conditions':{'ready':false}}]",
                "'addressType':'IPv4','endpoints':[{'addresses':['10.0.0.1'],'conditions':{'ready':false,'serving':true}}]",
                "'addressType':'IPv4','endpoints':[{'addresses':['10.0.0.1'],"
                        + "'conditions':{'ready':false,'serving':true,'terminating':true}}]",
                "'addressType':'IPv4','endpoints':[{'addresses':['10.0.0.1'],"
                        + "'conditions':{'ready':false,'serving':false,'terminating':true}}]",
                "'addressType':'IPv4','endpoints':[{'addresses':['10.0.0.1'],'nodeName':'a','zone':'b','targetRef':{'kind':'Pod'}}]",
                "'addressType':'IPv4','ports':[{'name':'http','port':80,'protocol':'TCP','appProtocol':'http'},{'name':'all'}]",
                "'addressType':'IPv4','ports':[{'name':null,'port':null,'protocol':null}]",
                "'addressType':'IPv4','ports':[{'name':'','port':65535,'protocol':'UDP'}]",
            })
    void oneSliceIsTheSameToBoth(String fields) throws IOException {
        sameToBoth(List.of(slice("web-1", WEB, fields.replace('\'', '"'))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\"a\":\"b\"", "\"kubernetes.io/service-name\":\"\"", WEB + ",\"a\":\"b\""})
    void theServiceIsTheSameToBoth(String labels) throws IOException {
        sameToBoth(List.of(slice("web-1", labels, "\"addressType\":\"IPv4\"")));
    }

    @Test
    void manySlicesAreTheSameToBoth() throws IOException {
        for (int seed = 0; seed < 300; seed++) {
            var random = new Random(seed);
            sameToBoth(IntStream.range(0, 1 + random.nextInt(4))
                    .mapToObj(number -> slice("web-" + number, random.nextInt(5) == 0 ? "" : WEB, random(random)))
                    .toList());
        }
    }

    private static void sameToBoth(List<String> slices) throws IOException {
        var ours = new ArrayList<EndpointSlice>();
        String list = "{\"items\":[" + String.join(",", slices) + "]}";
        try (JsonParser parser = JacksonJson.FACTORY.createParser(list)) {
            parser.nextToken();
            Node.of(JacksonJson.value(parser))
                    .get("items")
                    .items()
                    .forEach(item -> ours.add(SliceDecoder.decode(item)));
        }
        Decoded theirs = Decoder.decode(IntStream.range(0, slices.size())
                .mapToObj(number -> Source.of(number + ".json", slices.get(number)))
                .toList());
        assertThat(theirs.errors()).isEmpty();
        assertThat(ours)
                .isEqualTo(theirs.objects().stream()
                        .map(located -> withNameAlone((EndpointSlice) located.resource()))
                        .toList());
    }

    // A pod keeps no more of an object's metadata than its name.
    private static EndpointSlice withNameAlone(EndpointSlice slice) {
        return new EndpointSlice(
                Metadata.named(
                        slice.meta().name().namespace(), slice.meta().name().name()),
                slice.service(),
                slice.addressType(),
                slice.endpoints(),
                slice.ports());
    }

    private static String slice(String name, String labels, String fields) {
        return """
                {"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice",
                 "metadata":{"namespace":"shop","name":"%s","labels":{%s},"resourceVersion":"7","managedFields":[{"manager":"x"}]},
                 %s}""".formatted(name, labels, fields);
    }

    private static String random(Random random) {
        boolean six = random.nextBoolean();
        return "\"addressType\":\"%s\",\"endpoints\":[%s],\"ports\":[%s]"
                .formatted(
                        six ? "IPv6" : "IPv4",
                        several(random, () -> endpoint(random, six ? "fd00::" : "10.0.0.")),
                        several(random, () -> port(random)));
    }

    private static String endpoint(Random random, String network) {
        var fields = new ArrayList<String>();
        fields.add("\"addresses\":[\"" + network + (1 + random.nextInt(99)) + "\"]");
        if (random.nextInt(4) > 0) {
            fields.add("\"conditions\":{"
                    + List.of("ready", "serving", "terminating").stream()
                            .filter(condition -> random.nextBoolean())
                            .map(condition -> "\"" + condition + "\":" + random.nextBoolean())
                            .collect(Collectors.joining(","))
                    + "}");
        }
        return "{" + String.join(",", fields) + "}";
    }

    private static String port(Random random) {
        var fields = new ArrayList<String>();
        if (random.nextBoolean()) {
            fields.add("\"name\":\"port-" + random.nextInt(3) + "\"");
        }
        if (random.nextInt(5) > 0) {
            fields.add("\"port\":" + (1 + random.nextInt(65_535)));
        }
        if (random.nextBoolean()) {
            fields.add("\"protocol\":\"" + (random.nextBoolean() ? "TCP" : "SCTP") + "\"");
        }
        return "{" + String.join(",", fields) + "}";
    }

    private static String several(Random random, Supplier<String> one) {
        return IntStream.range(0, random.nextInt(4))
                .mapToObj(number -> one.get())
                .collect(Collectors.joining(","));
    }
}
