package dev.shellac.translate.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.DataPlane.Effect;
import dev.shellac.model.DataPlane.TableRefusal;
import dev.shellac.model.Name;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class RefusedPartsTest {
    private static TableRefusal refusal(String host, Effect effect) {
        return new TableRefusal(
                new Name("ns", "r"), Optional.of(host).filter(name -> !name.isEmpty()), 1, 0, effect, "path: bad");
    }

    private static Optional<String> message(TableRefusal... refusals) {
        return new RefusedParts(List.of(refusals)).message();
    }

    @Test
    void theGravestIsNamedAndThatItConcernsMoreHosts() {
        assertThat(message(
                        refusal("a", Effect.DEFERRED),
                        refusal("a", Effect.UNCACHED),
                        refusal("b", Effect.ROUTE_OMITTED),
                        refusal("c", Effect.ROUTE_OMITTED)))
                .hasValue("Dropped Rules: not served on host b and others: rule 1, match 0: path: bad; "
                        + "requests for this route there are answered 404, or by other routes");
        assertThat(message(refusal("a", Effect.UNCACHED), refusal("a", Effect.UNCACHED)))
                .hasValue("served without its cache policy on host a: rule 1, match 0: path: bad");
    }

    @Test
    void patternsThatWaitAreNoFault() {
        assertThat(message(refusal("a", Effect.DEFERRED))).isEmpty();
    }

    @Test
    void aPodOfAnEarlierReleaseNamesNoHost() {
        assertThat(message(refusal("", Effect.ROUTE_OMITTED)))
                .hasValue("Dropped Rules: not served on one of its hosts: rule 1, match 0: path: bad; "
                        + "requests for this route there are answered 404, or by other routes");
        assertThat(message(refusal("", Effect.PARTIAL))).hasValue("served in part: rule 1, match 0: path: bad");
    }
}
