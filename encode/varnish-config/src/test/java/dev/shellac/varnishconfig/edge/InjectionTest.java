package dev.shellac.varnishconfig.edge;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Hostname;
import dev.shellac.model.Name;
import dev.shellac.model.Port;
import dev.shellac.model.ResourceId;
import dev.shellac.model.Secret;
import dev.shellac.model.persistent.PersistentMap;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.plan.HostPlan;
import dev.shellac.translate.plan.ListenerPlan;
import dev.shellac.translate.resolve.KeyPair;
import dev.shellac.varnishconfig.edge.HaproxyConfig.Options;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Whatever users call their things, HAProxy reads our words, and each file is the one that was meant. */
final class InjectionTest {
    private static final String SIGNS = "ab-.\n\r\t #\"'\\${}[]!*/:%\0é😀";
    private static final Pattern LINE = Pattern.compile("[a-z0-9]([-a-z0-9.]*[a-z0-9])?\\.pem( (\\*\\.)?[-a-z0-9.]+)+");

    @Test
    void theConfigurationDependsOnPortsAlone() {
        Options options = Options.USUAL;
        Map<Port, Integer> slots = Map.of(new Port(443), 0);
        Optional<String> plain = HaproxyConfig.encode(plan("gw", "web", "cert"), slots, options);
        var random = new Random(1);
        for (int i = 0; i < 500; i++) {
            assertThat(HaproxyConfig.encode(plan(text(random), text(random), text(random)), slots, options))
                    .isEqualTo(plain);
        }
    }

    @Test
    void aListIsCertificatesAndNames() {
        for (int seed = 0; seed < 500; seed++) {
            var random = new Random(seed);
            var listeners = new ArrayList<ListenerPlan>();
            var pairs = new HashMap<ResourceId, KeyPair.Good>();
            for (int i = 0; i <= random.nextInt(4); i++) {
                ResourceId secret = ResourceId.of(GroupKind.SECRET, text(random), text(random));
                pairs.put(secret, pair(random));
                listeners.add(
                        listener(text(random), i == 0 ? Hostname.ANY : new Hostname("h" + i + ".example"), secret));
            }
            assertThat(ServerNames.list(listeners, pairs).lines())
                    .hasSize(listeners.size())
                    .allMatch(LINE.asMatchPredicate());
        }
    }

    @Test
    void noTwoSecretsShareAFile() {
        var random = new Random(1);
        Set<ResourceId> secrets = IntStream.range(0, 5000)
                .mapToObj(i -> ResourceId.of(GroupKind.SECRET, shortText(random), shortText(random)))
                .collect(Collectors.toCollection(HashSet::new));
        secrets.add(ResourceId.of(GroupKind.SECRET, "a-b", "c"));
        secrets.add(ResourceId.of(GroupKind.SECRET, "a", "b-c"));
        assertThat(secrets.stream().map(EdgeNames::pem).distinct().count()).isEqualTo(secrets.size());
        assertThat(EdgeNames.pem(ResourceId.of(GroupKind.SECRET, "n".repeat(63), "s".repeat(253))))
                .hasSizeLessThan(254);
    }

    private static GatewayPlan plan(String gateway, String listener, String secret) {
        return new GatewayPlan(
                new Name("shop", gateway),
                List.of(listener(listener, Hostname.ANY, ResourceId.of(GroupKind.SECRET, "shop", secret))),
                PersistentMap.<Name, HostPlan>empty().values(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    private static ListenerPlan listener(String name, Hostname hostname, ResourceId secret) {
        return new ListenerPlan(
                "shop/gw/" + name,
                ResourceId.of(GroupKind.GATEWAY, "shop", "gw"),
                name,
                hostname,
                new Port(443),
                "HTTPS",
                List.of(secret),
                Optional.empty());
    }

    private static KeyPair.Good pair(Random random) {
        Set<Hostname> names = IntStream.range(0, random.nextInt(5))
                .mapToObj(i -> Hostname.parse(text(random)))
                .flatMap(Optional::stream)
                .collect(Collectors.toSet());
        return new KeyPair.Good(names, Instant.EPOCH, Secret.of("pem".getBytes(UTF_8)));
    }

    private static String text(Random random) {
        return random.ints(random.nextInt(30), 0, SIGNS.length())
                .mapToObj(i -> String.valueOf(SIGNS.charAt(i)))
                .collect(Collectors.joining());
    }

    private static String shortText(Random random) {
        return random.ints(1 + random.nextInt(4), 0, 4)
                .mapToObj(i -> String.valueOf(SIGNS.charAt(i)))
                .collect(Collectors.joining());
    }
}
