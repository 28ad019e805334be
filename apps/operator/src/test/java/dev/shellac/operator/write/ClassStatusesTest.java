package dev.shellac.operator.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.kube.watch.Definitions;
import dev.shellac.kube.watch.ServedKind;
import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.Snapshot;
import dev.shellac.model.status.Condition;
import dev.shellac.model.status.ConditionSet;
import dev.shellac.model.status.GatewayClassStatus;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a class says of the release of Gateway API that is installed. */
final class ClassStatusesTest {
    private static final Set<GroupKind> ALL = Set.of(
            GroupKind.HTTP_ROUTE, GroupKind.REFERENCE_GRANT, GroupKind.LISTENER_SET, GroupKind.BACKEND_TLS_POLICY);

    private static Condition said(Set<GroupKind> kinds, String... bundles) {
        Map<GroupKind, ServedKind> served = kinds.stream()
                .collect(Collectors.toMap(Function.identity(), kind -> new ServedKind(kind, "v1", "plural")));
        var definitions = new Definitions(served, new TreeSet<>(Set.of(bundles)), new TreeSet<>(Set.of("standard")));
        var decided = Map.of(new Name("", "varnish"), new GatewayClassStatus(new ConditionSet(List.of()), List.of()));
        return ClassStatuses.of(decided, Snapshot.empty(), definitions).values().stream()
                .flatMap(status -> status.conditions().find("SupportedVersion").stream())
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1.2.0", "v1.3.1", "v1.4.0-rc.1", "v1.5.1", "v1.6.3", "v1.7.0", "v1.7.12"})
    void releasesThatWeKnow(String release) {
        Condition said = said(ALL, release);
        assertThat(said.holds()).isTrue();
        assertThat(said.message()).isEqualTo("Gateway API " + release + ", standard");
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1.1.0", "v1.8.0", "v1.10.0", "v2.0.0", "v0.8.1", "main"})
    void releasesThatWeDoNotKnowAreServedAndSaidToBeOff(String release) {
        Condition said = said(ALL, release);
        assertThat(said.holds()).isFalse();
        assertThat(said.reason()).isEqualTo("UnsupportedVersion");
        assertThat(said.message())
                .isEqualTo("Gateway API " + release + ", standard; release " + release
                        + " is not one of v1.2 to v1.7: what it adds is not looked at");
    }

    @Test
    void releasesThatAreMixed() {
        Condition said = said(ALL, "v1.4.1", "v1.7.0");
        assertThat(said.holds()).isFalse();
        assertThat(said.message()).contains("definitions of several releases are mixed: v1.4.1, v1.7.0");
    }

    @Test
    void definitionsThatNameNoRelease() {
        assertThat(said(ALL).message()).contains("the definitions do not say which release they are from");
    }

    @Test
    void definitionsThatAreNotThere() {
        assertThat(ClassStatuses.words(Definitions.NONE)).isEqualTo("the definitions of Gateway API are not installed");
        var nameless = new Definitions(
                Map.of(GroupKind.HTTP_ROUTE, new ServedKind(GroupKind.HTTP_ROUTE, "v1", "httproutes")),
                new TreeSet<>(),
                new TreeSet<>());
        assertThat(ClassStatuses.words(nameless))
                .startsWith("Gateway API; the definitions do not say which release they are from; ");
    }

    @Test
    void kindsThatAreMissingAreSaidAndNoFault() {
        Condition said = said(Set.of(GroupKind.HTTP_ROUTE, GroupKind.REFERENCE_GRANT), "v1.2.1");
        assertThat(said.holds()).isTrue();
        assertThat(said.message())
                .isEqualTo(
                        "Gateway API v1.2.1, standard; ListenerSet is not installed; BackendTLSPolicy is not installed");
    }
}
