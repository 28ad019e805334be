package dev.shellac.operator.children;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.Name;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class NamesTest {
    private static final String LONG = "a".repeat(253);

    @Test
    void aNameThatAServiceCanHaveStays() {
        assertThat(new Names(new Name("shop", "edge")).base()).isEqualTo("edge");
        assertThat(new Names(new Name("shop", "a".repeat(63))).base()).isEqualTo("a".repeat(63));
    }

    @Test
    void anyOtherGetsAHash() {
        assertThat(new Names(new Name("shop", "a".repeat(64))).base()).matches("a{52}-[0-9a-f]{10}");
        assertThat(new Names(new Name("shop", "shop.example.com")).base()).matches("shop-example-com-[0-9a-f]{10}");
        assertThat(new Names(new Name("shop", "2nd")).base()).matches("gw-2nd-[0-9a-f]{10}");
    }

    /** As the API server wants them: Services are labels of DNS that begin with a letter, values of labels have 63 characters. */
    @Test
    void everyNameIsOneThatKubernetesTakes() {
        for (String gateway : List.of("edge", "a", "9", "a.b", LONG, "1." + LONG.substring(2), "a-.b".repeat(10))) {
            var names = new Names(new Name("shop", gateway));
            assertThat(List.of(names.base(), names.addressService("192.0.2.1"), names.metricsService()))
                    .as(gateway)
                    .allMatch(name -> name.matches("[a-z]([-a-z0-9]{0,61}[a-z0-9])?"));
            assertThat(all(names)).as(gateway).allMatch(name -> name.length() <= 253);
            assertThat(names.labelValue()).as(gateway).matches("[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?");
        }
    }

    @Test
    void noTwoGatewaysOfANamespaceShareAName() {
        var owners = new HashMap<String, String>();
        var random = new Random(7);
        List<String> gateways = Stream.concat(
                        Stream.of(
                                "a.b",
                                "a-b",
                                "a.b.c",
                                "a-b.c",
                                LONG,
                                LONG.substring(1),
                                "edge",
                                "edge-2",
                                "edge-vcl",
                                "edge-certificates",
                                "edge-certificates-1"),
                        IntStream.range(0, 2000).mapToObj(i -> word(random)))
                .distinct()
                .toList();
        for (String gateway : gateways) {
            var names = new Names(new Name("shop", gateway));
            for (String service : List.of(names.base(), names.addressService("192.0.2.1"), names.metricsService())) {
                String before = owners.put("Service " + service, gateway);
                assertThat(before).as(service).isIn(null, gateway);
            }
            names.configMaps()
                    .forEach(map -> assertThat(owners.put("ConfigMap " + map, gateway))
                            .as(map)
                            .isIn(null, gateway));
            names.certificateSecrets()
                    .forEach(secret -> assertThat(owners.put("Secret " + secret, gateway))
                            .as(secret)
                            .isIn(null, gateway));
        }
        assertThat(owners).hasSize(gateways.size() * 30);
    }

    @Test
    void rolesElsewhereTellNamespaceAndNameApart() {
        Map<String, List<Name>> byRole = Stream.of(new Name("a-b", "c"), new Name("a", "b-c"), new Name("b", "c"))
                .collect(Collectors.groupingBy(gateway -> new Names(gateway).foreignRole()));
        assertThat(byRole).hasSize(3);
    }

    private static List<String> all(Names names) {
        return Stream.concat(
                        Stream.concat(names.configMaps().stream(), names.certificateSecrets().stream()),
                        Stream.of(names.serviceAccount(), names.role(), names.foreignRole()))
                .toList();
    }

    private static String word(Random random) {
        String alphabet = "ab1.-";
        return IntStream.range(0, 1 + random.nextInt(80))
                .mapToObj(i -> String.valueOf(alphabet.charAt(random.nextInt(alphabet.length()))))
                .collect(Collectors.joining("", "x", "y"));
    }
}
