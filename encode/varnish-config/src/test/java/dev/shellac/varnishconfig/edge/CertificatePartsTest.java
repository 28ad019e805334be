package dev.shellac.varnishconfig.edge;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.decode.Decoder;
import dev.shellac.decode.Source;
import dev.shellac.model.Name;
import dev.shellac.model.Secret;
import dev.shellac.model.Snapshot;
import dev.shellac.model.core.SecretObject;
import dev.shellac.model.gateway.ListenerSet;
import dev.shellac.model.status.Condition;
import dev.shellac.model.status.ListenerStatus;
import dev.shellac.testkit.tls.TestCertificates;
import dev.shellac.translate.Outcome;
import dev.shellac.translate.Settings;
import dev.shellac.translate.Translator;
import dev.shellac.translate.resolve.CertificateRoom;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A thousand listeners with a certificate each: what is written for them, and for the next certificate of one. */
final class CertificatePartsTest {
    private static final System.Logger LOG = System.getLogger(CertificatePartsTest.class.getName());
    private static final int LISTENERS = 1000;
    private static final int LISTENERS_OF_A_SET = 64;
    private static final Name GATEWAY = new Name("edge", "gw");

    @TempDir
    private static Path folder;

    private static TestCertificates.Pair first = new TestCertificates.Pair("", "");
    private static TestCertificates.Pair next = first;

    @BeforeAll
    static void make() throws Exception {
        first = TestCertificates.of(folder, "first", "first.example.com");
        next = TestCertificates.of(folder, "next", "next.example.com", "another-name.example.com");
    }

    @Test
    void aRotationRewritesOnePartOfAThousandCertificates() {
        Snapshot snapshot = shop(LISTENERS);
        var translator = new Translator(Settings.alone());
        CertificateBundle before = bundle(translator, snapshot);
        assertThat(before.files().keySet())
                .filteredOn(name -> name.endsWith(".pem"))
                .hasSize(LISTENERS);
        long all = bytes(before.files());
        CertificateParts parts = CertificateParts.of(before.files());
        assertThat(parts.files()).hasSize(CertificateRoom.PARTS);
        assertThat(parts.files().values()).allMatch(part -> bytes(part) <= CertificateRoom.PART_BYTES);
        assertThat(joined(parts)).isEqualTo(before.files());

        var touched = new HashSet<Integer>();
        long written = 0;
        int rotations = 30;
        for (int i = 0; i < rotations; i++) {
            snapshot = snapshot.with(secret("edge", 16 * i, next));
            CertificateBundle bundle = bundle(translator, snapshot);
            CertificateParts now = CertificateParts.of(bundle.files());
            Set<Integer> changed = changed(parts, now);
            assertThat(changed).hasSize(1);
            assertThat(joined(now)).isEqualTo(bundle.files());
            written += changed.stream()
                    .mapToLong(part -> bytes(now.files().getOrDefault(part, new TreeMap<>())))
                    .sum();
            touched.addAll(changed);
            parts = now;
        }
        assertThat(written / rotations).as("bytes for a rotation").isLessThan(all / 8);
        assertThat(touched).hasSizeGreaterThan(CertificateRoom.PARTS / 2);
        LOG.log(
                System.Logger.Level.INFO,
                "certificates: {0} bytes for {1} listeners, {2} written for a rotation",
                String.valueOf(all),
                String.valueOf(LISTENERS),
                String.valueOf(written / rotations));
    }

    @Test
    void oneMoreListenerLeavesTheOthersWhereTheyAre() {
        var translator = new Translator(Settings.alone());
        CertificateParts before =
                CertificateParts.of(bundle(translator, shop(200)).files());
        CertificateParts after =
                CertificateParts.of(bundle(translator, shop(201)).files());
        // Its own certificate, and the list of the port.
        assertThat(changed(before, after)).hasSizeLessThanOrEqualTo(2);
    }

    @Test
    void filesThatFitTogetherFindRoomWhateverTheirSizes() {
        var random = new Random(3);
        for (int round = 0; round < 20; round++) {
            var files = new TreeMap<String, Secret>();
            long left = CertificateRoom.MOST_BYTES;
            for (int i = 0; left > 0; i++) {
                int length = (int) Math.min(left, 1 + random.nextInt(CertificateRoom.LARGEST_FILE));
                files.put("ns.s" + i + ".pem", Secret.of(new byte[length]));
                left -= length;
            }
            CertificateParts parts = CertificateParts.of(files);
            assertThat(parts.files().values()).allMatch(part -> bytes(part) <= CertificateRoom.PART_BYTES);
            assertThat(joined(parts)).isEqualTo(files);
        }
    }

    @Test
    void aLargeListIsCutAndPutTogetherAgain() {
        var bytes = new byte[5_000_000];
        new Random(4).nextBytes(bytes);
        var files = new TreeMap<>(Map.of(
                "port-443.list", Secret.of(bytes),
                "port-443.ca", Secret.of("ca".getBytes(US_ASCII)),
                "ns.port.list.000.pem", Secret.of("pem".getBytes(US_ASCII))));
        CertificateParts parts = CertificateParts.of(files);
        assertThat(parts.files().values()).allMatch(part -> bytes(part) <= CertificateRoom.PART_BYTES);
        assertThat(joined(parts)).isEqualTo(files);
        assertThat(CertificateParts.hash(joined(parts))).isEqualTo(CertificateParts.hash(files));
    }

    /** The namespace that fills its share is refused, in words, and nobody else. */
    @Test
    void aNamespaceThatBringsTooManyIsRefusedAlone() {
        Snapshot snapshot = shop(50);
        var many = Decoder.decode(sources(1000, "tenant").entrySet().stream()
                        .map(file -> Source.of(file.getKey(), file.getValue()))
                        .toList())
                .snapshot();
        for (var object : many.all(SecretObject.class)) {
            snapshot = snapshot.with(object);
        }
        for (var set : many.all(ListenerSet.class)) {
            snapshot = snapshot.with(set);
        }
        var translator = new Translator(Settings.alone());
        Outcome outcome = translator.translate(snapshot);
        Map<Boolean, Long> ofTenant = resolved(outcome, "tenant");
        assertThat(resolved(outcome, "edge")).containsOnlyKeys(true).containsEntry(true, 50L);
        assertThat(ofTenant.get(true)).isGreaterThan(300);
        assertThat(ofTenant.get(false)).isPositive();
        String words = outcome.statuses().listenerSets().values().stream()
                .flatMap(set -> set.listeners().stream())
                .map(CertificatePartsTest::resolvedRefs)
                .filter(condition -> !condition.holds())
                .findFirst()
                .orElseThrow()
                .message();
        assertThat(words)
                .matches(
                        "Secret tenant/\\S+ needs \\d+ KiB, and listeners of namespace tenant already use \\d+ of the"
                                + " \\d+ KiB that ListenerSets of another namespace may use of this Gateway's room for certificates: .*");
        CertificateBundle bundle =
                CertificateBundle.of(outcome.plans().values().iterator().next(), snapshot);
        assertThat(CertificateParts.of(bundle.files()).files()).isNotEmpty();
        // Others rotate on.
        Snapshot rotated = snapshot.with(secret("edge", 7, next));
        assertThat(changed(
                        CertificateParts.of(bundle.files()),
                        CertificateParts.of(bundle(translator, rotated).files())))
                .hasSize(1);
    }

    /** A pod of 512 MiB has room for some thousand; the arithmetic is said. */
    @Test
    void whatDoesNotFitIsRefusedWithTheArithmetic() {
        Outcome outcome = new Translator(Settings.alone())
                .translate(shop(LISTENERS + 100, "{resources: {limits: {memory: 512Mi}}}"));
        assertThat(resolved(outcome, "edge").get(true)).isGreaterThanOrEqualTo(LISTENERS);
        assertThat(resolved(outcome, "edge").get(false)).isPositive();
        assertThat(outcome.statuses().listenerSets().values().stream()
                        .flatMap(set -> set.listeners().stream())
                        .map(CertificatePartsTest::resolvedRefs)
                        .filter(condition -> !condition.holds()))
                .allMatch(condition -> condition
                        .message()
                        .matches(
                                "Secret edge/s\\d+ needs 5 KiB, and listeners that come before this one already use 40\\d\\d"
                                        + " of the 4096 KiB that this Gateway has for certificates: .*"));
    }

    private static Map<Boolean, Long> resolved(Outcome outcome, String namespace) {
        return outcome.statuses().listenerSets().entrySet().stream()
                .filter(set -> set.getKey().namespace().equals(namespace))
                .flatMap(set -> set.getValue().listeners().stream())
                .collect(Collectors.partitioningBy(
                        listener -> resolvedRefs(listener).holds(), Collectors.counting()))
                .entrySet()
                .stream()
                .filter(entry -> entry.getValue() > 0)
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private static Condition resolvedRefs(ListenerStatus listener) {
        return listener.conditions().find("ResolvedRefs").orElseThrow();
    }

    private static CertificateBundle bundle(Translator translator, Snapshot snapshot) {
        return CertificateBundle.of(
                Objects.requireNonNull(translator.translate(snapshot).plans().get(GATEWAY)), snapshot);
    }

    private static SortedMap<String, Secret> joined(CertificateParts parts) {
        var all = new TreeMap<String, Secret>();
        parts.files().values().forEach(all::putAll);
        return CertificateParts.joined(all);
    }

    private static Set<Integer> changed(CertificateParts before, CertificateParts now) {
        var numbers = new HashSet<>(before.files().keySet());
        numbers.addAll(now.files().keySet());
        numbers.removeIf(number -> now.files()
                .getOrDefault(number, new TreeMap<>())
                .equals(before.files().get(number)));
        return numbers;
    }

    private static long bytes(SortedMap<String, Secret> files) {
        return files.values().stream().mapToLong(Secret::length).sum();
    }

    private static Snapshot shop(int listeners) {
        return shop(listeners, "{}");
    }

    private static Snapshot shop(int listeners, String parameters) {
        var files = sources(listeners, "edge");
        files.put("gateway.yaml", """
                {apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: varnish},
                 spec: {controllerName: varnish-software.com/gateway,
                        parametersRef: {group: gateway.varnish-software.com, kind: GatewayClassParameters, name: p}}}
                ---
                {apiVersion: gateway.varnish-software.com/v1alpha1, kind: GatewayClassParameters, metadata: {name: p}, spec: %s}
                ---
                apiVersion: gateway.networking.k8s.io/v1
                kind: Gateway
                metadata: {name: gw, namespace: edge}
                spec:
                  gatewayClassName: varnish
                  allowedListeners: {namespaces: {from: All}}
                  listeners: [{name: web, port: 80, protocol: HTTP}]
                """.formatted(parameters));
        return Decoder.decode(files.entrySet().stream()
                        .map(file -> Source.of(file.getKey(), file.getValue()))
                        .toList())
                .snapshot();
    }

    private static SortedMap<String, String> sources(int listeners, String namespace) {
        var files = new TreeMap<String, String>();
        for (int from = 0; from < listeners; from += LISTENERS_OF_A_SET) {
            int to = Math.min(listeners, from + LISTENERS_OF_A_SET);
            files.put(
                    namespace + "-set-" + from,
                    """
                    apiVersion: gateway.networking.k8s.io/v1
                    kind: ListenerSet
                    metadata: {name: set-%d, namespace: %s}
                    spec:
                      parentRef: {name: gw, namespace: edge}
                      listeners:
                    """.formatted(from, namespace)
                            + IntStream.range(from, to)
                                    .mapToObj(i ->
                                            "  - {name: l%d, port: 443, protocol: HTTPS, hostname: h%d.%s.example.com, tls: {certificateRefs: [{name: s%d}]}}\n"
                                                    .formatted(i, i, namespace, i))
                                    .collect(Collectors.joining()));
        }
        for (int i = 0; i < listeners; i++) {
            files.put(namespace + "-secret-" + i, yaml(namespace, i, first));
        }
        return files;
    }

    private static SecretObject secret(String namespace, int number, TestCertificates.Pair pair) {
        return Decoder.decode(java.util.List.of(Source.of("s.yaml", yaml(namespace, number, pair))))
                .snapshot()
                .all(SecretObject.class)
                .iterator()
                .next();
    }

    private static String yaml(String namespace, int number, TestCertificates.Pair pair) {
        return """
                apiVersion: v1
                kind: Secret
                metadata: {name: s%d, namespace: %s}
                type: kubernetes.io/tls
                stringData:
                  tls.crt: |
                    %s
                  tls.key: |
                    %s
                """.formatted(
                        number,
                        namespace,
                        pair.certificate().strip().replace("\n", "\n    "),
                        pair.key().strip().replace("\n", "\n    "));
    }
}
