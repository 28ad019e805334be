package dev.shellac.translate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.decode.Decoder;
import dev.shellac.decode.Source;
import dev.shellac.model.Resource;
import dev.shellac.model.Snapshot;
import dev.shellac.model.status.Condition;
import dev.shellac.model.status.ConditionSet;
import dev.shellac.model.status.ListenerStatus;
import dev.shellac.model.status.MessageText;
import dev.shellac.translate.status.Statuses;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A message is kept for each parent of each route: none grows with what tenants write. */
final class MessageLengthTest {
    private static final String API = "{apiVersion: gateway.networking.k8s.io/v1, kind: ";
    private static final String LONG = "n".repeat(240);
    private static final int SETS = 15;
    private static final int LISTENERS = 64;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hostnames: [nobody.example.net]",
                "hostnames: ['*.example.com']",
                "hostnames: ['*.example.com'], rules: [{matches: [{path: {type: RegularExpression, value: '("
                        + "%s'}}]}]"
            })
    void aRouteOfManyListenersHasShortMessages(String spec) {
        String route = spec.contains("%s") ? spec.formatted("a".repeat(1000)) : spec;
        for (String from : List.of("All", "Selector, selector: {matchLabels: {team: b}}")) {
            List<Condition> ofRoute = ofRoutes(translated(from, route).statuses());
            assertThat(ofRoute).hasSize(2 * SETS);
            assertThat(ofRoute.stream().mapToInt(c -> c.message().length()).sum())
                    .isLessThan(20_000);
        }
    }

    @Test
    void listenersThatDoNotFitAreNamedUpToAPoint() {
        Statuses statuses = translated("All", "hostnames: [nobody.example.net]").statuses();
        assertThat(ofRoutes(statuses).getFirst().message())
                .startsWith("no hostname of the route fits a listener: l0")
                .endsWith(" and 63 more");
    }

    @Test
    void rulesThatAreDroppedAreNamedUpToAPoint() {
        String rule = "{name: r%d, filters: [{type: ExtensionRef, extensionRef: {group: x, kind: Thing, name: z}}]}";
        String rules = IntStream.range(0, 16).mapToObj(rule::formatted).collect(Collectors.joining(", "));
        Condition accepted = ofRoutes(translated("All", "hostnames: [" + hostname(0, 0) + "], rules: [" + rules + "]")
                        .statuses())
                .getFirst();
        assertThat(accepted.message()).startsWith("Dropped Rule 0 (r0): ").endsWith(" more");
        isShort(accepted);
    }

    @Test
    void noMessageOfARandomClusterIsLong() {
        for (long seed = 0; seed < 20; seed++) {
            var cluster = new RandomCluster(seed);
            Snapshot snapshot = cluster.start();
            for (int i = 0; i < 40; i++) {
                Statuses statuses =
                        new Translator(Settings.alone()).translate(snapshot).statuses();
                assertThat(all(statuses)).allSatisfy(MessageLengthTest::isShort);
                snapshot = cluster.edit(snapshot);
            }
        }
    }

    private static void isShort(Condition condition) {
        assertThat(condition.message()).hasSizeLessThanOrEqualTo(MessageText.MOST);
    }

    private static Outcome translated(String from, String spec) {
        var yaml = new ArrayList<String>();
        yaml.add(API + "GatewayClass, metadata: {name: varnish}, spec: {controllerName: "
                + "varnish-software.com/gateway}}");
        yaml.add(API + "Gateway, metadata: {name: edge, namespace: op}, spec: {gatewayClassName: varnish, "
                + "allowedListeners: {namespaces: {from: All}}, "
                + "listeners: [{name: web, port: 80, protocol: HTTP, hostname: x.example.org}]}}");
        for (int set = 0; set < SETS; set++) {
            yaml.add(API + "ListenerSet, metadata: {name: s" + set + ", namespace: team}, spec: {"
                    + "parentRef: {name: edge, namespace: op}, listeners: [" + listeners(set, from) + "]}}");
        }
        String parents = IntStream.range(0, SETS)
                .mapToObj(set -> "{kind: ListenerSet, name: s" + set + "}")
                .collect(Collectors.joining(", "));
        yaml.add(API + "HTTPRoute, metadata: {name: r, namespace: team}, spec: {parentRefs: [" + parents + "], " + spec
                + "}}");
        Outcome outcome = new Translator(Settings.among()).translate(Snapshot.of(decoded(yaml)));
        assertThat(all(outcome.statuses())).allSatisfy(MessageLengthTest::isShort);
        return outcome;
    }

    private static String listeners(int set, String from) {
        return IntStream.range(0, LISTENERS)
                .mapToObj(i -> "{name: l" + set + "-" + i + "-" + LONG + ", port: 80, protocol: HTTP, hostname: "
                        + hostname(set, i) + ", allowedRoutes: {namespaces: {from: " + from + "}}}")
                .collect(Collectors.joining(", "));
    }

    private static String hostname(int set, int listener) {
        String label = "h".repeat(60);
        return "h" + set + "x" + listener + "." + label + "." + label + "." + label + ".example.com";
    }

    private static List<Resource> decoded(List<String> yaml) {
        return yaml.stream()
                .map(text -> Decoder.decodeStored(List.of(Source.of("x.yaml", text))))
                .flatMap(found -> {
                    assertThat(found.errors()).isEmpty();
                    return found.objects().stream();
                })
                .<Resource>map(found -> found.resource())
                .toList();
    }

    private static List<Condition> ofRoutes(Statuses statuses) {
        return statuses.httpRoutes().values().stream()
                .flatMap(status -> status.parents().stream())
                .flatMap(parent -> parent.conditions().conditions().stream())
                .toList();
    }

    private static List<Condition> all(Statuses statuses) {
        Stream<ConditionSet> gateways = statuses.gateways().values().stream()
                .flatMap(status -> Stream.concat(Stream.of(status.conditions()), of(status.listeners())));
        Stream<ConditionSet> sets = statuses.listenerSets().values().stream()
                .flatMap(status -> Stream.concat(Stream.of(status.conditions()), of(status.listeners())));
        Stream<ConditionSet> classes =
                statuses.gatewayClasses().values().stream().map(status -> status.conditions());
        Stream<ConditionSet> policies = Stream.concat(
                        statuses.backendTlsPolicies().values().stream(), statuses.cachePolicies().values().stream())
                .flatMap(status -> status.ancestors().stream())
                .map(ancestor -> ancestor.conditions());
        return Stream.concat(
                        ofRoutes(statuses).stream(),
                        Stream.of(gateways, sets, classes, policies)
                                .flatMap(found -> found)
                                .flatMap(set -> set.conditions().stream()))
                .toList();
    }

    private static Stream<ConditionSet> of(List<ListenerStatus> listeners) {
        return listeners.stream().map(ListenerStatus::conditions);
    }
}
