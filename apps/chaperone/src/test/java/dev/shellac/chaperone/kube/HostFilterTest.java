package dev.shellac.chaperone.kube;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.shellac.varnishconfig.reading.Routing;
import dev.shellac.varnishconfig.reading.RoutingReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** A routing.json that is too large loses hosts, never all of them. */
final class HostFilterTest {
    private static final String HEAD =
            "{\n \"version\": 2, \"listeners\": {\"vhosts\": {\"port\": 80}}, \"sockets\": {\"s\": [80]},\n \"vhosts\": {\n";

    @Test
    void hostsAreTakenInTheirOrderAndASmallOneBehindALargeOne() throws Exception {
        String file = HEAD + host("a", 100) + ",\n" + host("b", 4_000) + ",\n" + host("c", 100) + "\n}}\n";
        RoutingFile read = RoutingFile.unzipped(zipped(file), 1_500);
        assertThat(read.wholeHash()).isEqualTo("sha256:" + RoutingFile.sha256(file.getBytes(UTF_8)));
        assertThat(hosts(read)).containsExactly("a", "c");
        assertThat(read.rest().hosts()).containsExactly(new LeftOutHost("b", List.of("shop/b", "shop/b-2")));
        assertThat(read.rest().summary())
                .contains("1 of 3 hosts are left out: it has " + file.length()
                        + " bytes, and this pod has no memory for more than those of the others");
    }

    @Test
    void whatFitsIsAsItWas() throws Exception {
        String file = HEAD + host("a", 100) + "}}";
        RoutingFile read = RoutingFile.unzipped(zipped(file), file.length());
        assertThat(new String(read.bytes(), UTF_8)).isEqualTo(file);
        assertThat(read.rest()).isEqualTo(RoutingFile.Rest.NONE);
    }

    @Test
    void theFirstAndTheLastAndAllMayGo() throws Exception {
        String file = HEAD + host("a", 4_000) + "," + host("b", 4_000) + "}}";
        assertThat(hosts(RoutingFile.unzipped(zipped(file), 1_000))).isEmpty();
        assertThat(hosts(RoutingFile.unzipped(zipped(HEAD + host("a", 4_000) + "," + host("b", 9) + "}}"), 1_000)))
                .containsExactly("b");
    }

    @Test
    void manyThatAreLeftOutTakeNothing() throws Exception {
        var file = new StringBuilder(HEAD).append(host("a", 9));
        for (int i = 0; i < 2_000; i++) {
            file.append(",\n        ").append(host("h" + i, 900));
        }
        RoutingFile read = RoutingFile.unzipped(zipped(file.append("}}").toString()), 900);
        assertThat(hosts(read)).containsExactly("a");
        assertThat(read.rest().hosts()).as("some of them are named").hasSize(250);
    }

    @Test
    void aNamespaceWithManyHostsHidesNoOther() throws Exception {
        var file = new StringBuilder(HEAD).append(host("a", 9));
        for (int i = 0; i < 2_000; i++) {
            file.append(",").append(host("h" + i, 900));
        }
        file.append(",").append(host("z", 900).replace("shop/", "other/")).append("}}");
        assertThat(RoutingFile.unzipped(zipped(file.toString()), 900).rest().hosts())
                .contains(new LeftOutHost("z", List.of("other/z", "other/z-2")));
    }

    @Test
    void whatIsTooLargeWithoutAnyHostIsRefused() throws Exception {
        byte[] noHosts = zipped("x".repeat(2_000));
        assertThatThrownBy(() -> RoutingFile.unzipped(noHosts, 1_000))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("this pod has no memory for more than 750");
        byte[] largeHead = zipped(
                "{\"version\":2,\"listeners\":{\"" + "l".repeat(2_000) + "\":{}},\"vhosts\":{" + host("a", 9) + "}}");
        assertThatThrownBy(() -> RoutingFile.unzipped(largeHead, 1_000)).isInstanceOf(IOException.class);
    }

    @Test
    void whateverTextsHoldTheRestIsReadAsBefore() throws Exception {
        var random = new Random(5);
        for (int i = 0; i < 200; i++) {
            var file = new StringBuilder(HEAD);
            int count = 1 + random.nextInt(12);
            for (int h = 0; h < count; h++) {
                file.append(h == 0 ? "" : " ,\n").append(host("h" + h, random.nextInt(600)));
            }
            file.append("\n}\n}");
            int most = 500 + random.nextInt(6_000);
            RoutingFile read = RoutingFile.unzipped(zipped(file.toString()), most);
            assertThat(read.bytes().length).isLessThanOrEqualTo(Math.max(most, 0));
            int left = read.rest().hosts().size();
            Routing routing = new RoutingReader(new JacksonJson()).read(read.bytes());
            assertThat(routing.faults()).isEmpty();
            assertThat(routing.hosts().size() + left).isEqualTo(count);
            read.rest()
                    .hosts()
                    .forEach(gone -> assertThat(routing.hosts().keySet())
                            .noneMatch(host -> host.value().equals(gone.host())));
        }
    }

    private static List<String> hosts(RoutingFile file) throws Exception {
        return new RoutingReader(new JacksonJson())
                .read(file.bytes()).hosts().keySet().stream()
                        .map(host -> host.value())
                        .toList();
    }

    // With texts that look like structure.
    private static String host(String name, int filler) {
        String entry = "{\"route_name\": \"shop/" + name
                + "\", \"path_match\": {\"type\":\"Exact\",\"value\":\"/{[\\\"}\\\\\"}," + "\"priority\": 2, \"x\": \""
                + "y".repeat(filler) + "\"}";
        return "\"" + name + "\": {\"routes\": [" + entry + ", "
                + entry.replace("shop/" + name, "shop/" + name + "-2")
                        .replace("\"priority\": 2", "\"priority\": 1")
                        .replace("y".repeat(filler), "")
                + "]}";
    }

    private static byte[] zipped(String text) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(bytes)) {
            gzip.write(text.getBytes(UTF_8));
        }
        return bytes.toByteArray();
    }
}
