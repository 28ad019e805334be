package dev.shellac.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class EvenShareTest {
    private static List<String> of(int most, String... elements) {
        var share = new EvenShare<String>(most);
        for (String element : elements) {
            share.add(element.substring(0, 1), element);
        }
        return share.elements();
    }

    @Test
    void aNamespaceWithManyHidesNothingOfAnother() {
        assertThat(of(4, "a1", "a2", "a3", "a4", "a5", "b1", "b2", "c1")).containsExactly("a1", "b1", "c1", "a2");
        assertThat(of(6, "a1", "a2", "a3", "a4", "a5", "b1", "b2", "c1"))
                .containsExactly("a1", "b1", "c1", "a2", "b2", "a3");
    }

    @Test
    void whatNobodyElseNeedsIsForWhoHasMore() {
        assertThat(of(3, "a1", "a2", "a3", "a4")).containsExactly("a1", "a2", "a3");
    }

    @Test
    void ofMoreNamespacesThanThereIsRoomTheFirstAreIn() {
        assertThat(of(2, "c1", "a1", "b1", "c2")).containsExactly("c1", "a1");
    }
}
