package dev.shellac.translate.attach;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.decode.Decoder;
import dev.shellac.decode.Source;
import dev.shellac.model.gateway.ListenerSet;
import dev.shellac.translate.resolve.Refusal;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** ListenerSets that bring more listeners than a Gateway takes. */
final class ListenerLimitTest {
    private static final int OF_A_SET = 64;

    private final ListenerLimit limit = new ListenerLimit("home");

    @Test
    void oneNamespaceFillsItsPartAndNobodyElses() {
        admit("greedy", ListenerLimit.MOST_OF_A_NAMESPACE / OF_A_SET);
        Optional<Refusal> refusal = limit.refusal(set("greedy"));
        assertThat(refusal.map(Refusal::message))
                .contains(
                        "ListenerSets of namespace greedy bring 1024 listeners to this Gateway, and 64 more would be beyond"
                                + " the 1024 of one namespace; use another Gateway for them");
        assertThat(limit.refusal(set("modest"))).isEmpty();
    }

    @Test
    void namespacesThatFillTheirPartsLeaveRoomForThoseOfFewListeners() {
        admit("greedy", ListenerLimit.MOST_OF_A_NAMESPACE / OF_A_SET);
        int left = ListenerLimit.MOST - ListenerLimit.RESERVE - ListenerLimit.MOST_OF_A_NAMESPACE;
        admit("greedy-too", left / OF_A_SET);
        assertThat(limit.refusal(set("greedy-too")).map(Refusal::message).orElse(""))
                .endsWith("beyond the 1536 of all namespaces that bring more than 64; use another Gateway for them");
        for (int i = 0; i < ListenerLimit.RESERVE / OF_A_SET; i++) {
            admit("modest-" + i, 1);
        }
    }

    @Test
    void theGatewaysOwnNamespaceMayUseAll() {
        admit("home", ListenerLimit.MOST / OF_A_SET);
        assertThat(limit.refusal(set("home")).map(Refusal::message).orElse(""))
                .startsWith("ListenerSets bring 2048 listeners");
        assertThat(limit.refusal(set("modest"))).isPresent();
    }

    private void admit(String namespace, int sets) {
        for (int i = 0; i < sets; i++) {
            assertThat(limit.refusal(set(namespace))).isEmpty();
        }
    }

    private static ListenerSet set(String namespace) {
        String listeners = IntStream.range(0, OF_A_SET)
                .mapToObj(i -> "{name: l" + i + ", port: 80, protocol: HTTP, hostname: h" + i + ".example.com}")
                .collect(Collectors.joining(", "));
        String yaml = "{apiVersion: gateway.networking.k8s.io/v1, kind: ListenerSet, metadata: {name: s, namespace: "
                + namespace + "}, spec: {parentRef: {name: g, namespace: home}, listeners: [" + listeners + "]}}";
        return (ListenerSet) Decoder.decode(List.of(Source.of("x.yaml", yaml)))
                .objects()
                .getFirst()
                .resource();
    }
}
