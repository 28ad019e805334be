package dev.shellac.model.persistent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** It is a sorted map, beside Java's own; and its differences cost no more than they should. */
final class PersistentMapTest {
    private static final int SCRIPTS = 60;
    private static final int EDITS = 120;

    @Test
    void itHoldsWhatATreeMapHolds() {
        for (long seed = 0; seed < SCRIPTS; seed++) {
            var random = new Random(seed);
            PersistentMap<Integer, String> map = PersistentMap.empty();
            var expected = new TreeMap<Integer, String>();
            for (int i = 0; i < EDITS; i++) {
                int key = random.nextInt(1 + random.nextInt(80));
                if (random.nextInt(3) == 0) {
                    map = map.without(key);
                    expected.remove(key);
                } else {
                    map = map.with(key, "v" + i);
                    expected.put(key, "v" + i);
                }
                assertThat(map).as("seed %d, edit %d", seed, i).isEqualTo(expected);
                assertThat(expected).isEqualTo(map);
                assertThat(List.copyOf(map.keySet())).isEqualTo(List.copyOf(expected.keySet()));
                assertThat(map.values()).isEqualTo(List.copyOf(expected.values()));
                assertThat(map.between(10, 20))
                        .isEqualTo(List.copyOf(expected.subMap(10, 20).entrySet()));
            }
            assertThat(map.hashCode()).isEqualTo(expected.hashCode());
            assertThat(map.values().hashCode())
                    .isEqualTo(List.copyOf(expected.values()).hashCode());
            for (int key = 0; key < 80; key++) {
                assertThat(map.get(key)).isEqualTo(expected.get(key));
                assertThat(map.lower(key))
                        .isEqualTo(Optional.ofNullable(expected.lowerEntry(key)).map(Map.Entry::getValue));
                assertThat(map.higher(key))
                        .isEqualTo(
                                Optional.ofNullable(expected.higherEntry(key)).map(Map.Entry::getValue));
                assertThat(map.containsKey(key)).isEqualTo(expected.containsKey(key));
            }
        }
    }

    @Test
    void changesLeadFromOneToTheOther() {
        for (long seed = 0; seed < SCRIPTS; seed++) {
            var random = new Random(seed);
            PersistentMap<Integer, Integer> before = filled(random, random.nextInt(200));
            PersistentMap<Integer, Integer> after = random.nextInt(10) == 0 ? filled(random, 50) : before;
            int edits = random.nextInt(12);
            for (int i = 0; i < edits; i++) {
                after = edited(after, random);
            }
            PersistentMap<Integer, Integer> rebuilt = before;
            for (Change<Integer, Integer> change : after.changesSince(before)) {
                assertThat(change.before()).isEqualTo(Optional.ofNullable(rebuilt.get(change.key())));
                assertThat(change.before()).isNotEqualTo(change.after());
                rebuilt = change.after().isPresent()
                        ? rebuilt.with(change.key(), change.after().get())
                        : rebuilt.without(change.key());
            }
            assertThat(rebuilt).as("seed %d", seed).isEqualTo(after);
            assertThat(new TreeMap<>(rebuilt)).isEqualTo(new TreeMap<>(after));
            assertThat(before.equals(after)).isEqualTo(new TreeMap<>(before).equals(new TreeMap<>(after)));
            assertThat(before.values().equals(after.values()))
                    .isEqualTo(List.copyOf(before.values()).equals(List.copyOf(after.values())));
        }
    }

    @Test
    void aChangeAmongManyIsFoundAtTheCostOfTheWayToIt() {
        var compared = new AtomicInteger();
        Comparator<Integer> counting = (one, other) -> {
            compared.incrementAndGet();
            return Integer.compare(one, other);
        };
        int entries = 20_000;
        PersistentMap<Integer, Counted> before = PersistentMap.empty(counting);
        for (int i = 0; i < entries; i++) {
            before = before.with(i * 7919 % entries, new Counted(i));
        }
        for (int key : List.of(0, 77, 10_000, entries - 1, entries + 5)) {
            for (PersistentMap<Integer, Counted> after : List.of(
                    before.with(key, new Counted(-1)),
                    before.without(key),
                    before.without(key).without(key + 1).with(key, new Counted(-2)))) {
                compared.set(0);
                Counted.compared = 0;
                boolean same = after.changesSince(before).isEmpty();
                assertThat(before.changesSince(after).isEmpty()).isEqualTo(same);
                assertThat(before.equals(after)).isEqualTo(same);
                assertThat(before.values().equals(after.values())).isEqualTo(same);
                assertThat(compared.get() + Counted.compared).as("key " + key).isLessThan(600);
            }
        }
    }

    @Test
    void noOrderOfTheKeysMakesItDeep() {
        PersistentMap<Integer, Integer> rising = PersistentMap.empty();
        PersistentMap<Integer, Integer> falling = PersistentMap.empty();
        PersistentMap<Integer, Integer> gone = PersistentMap.empty();
        for (int i = 0; i < 50_000; i++) {
            rising = rising.with(i, i);
            falling = falling.with(-i, i);
            gone = gone.with(i, i).without(i - 1000);
        }
        assertThat(List.of(depth(rising), depth(falling), depth(gone))).allMatch(depth -> depth <= 34);
        for (int i = 0; i < 49_000; i++) {
            rising = rising.without(i);
        }
        assertThat(depth(rising)).isLessThanOrEqualTo(22);
    }

    @Test
    void whatDoesNotChangeIsTheSame() {
        PersistentMap<String, String> map = PersistentMap.of(Map.of("a", "1", "b", "2"));
        assertThat(map.with("a", map.getOrDefault("a", ""))).isSameAs(map);
        assertThat(map.without("c")).isSameAs(map);
        assertThat(PersistentMap.of(map)).isSameAs(map);
        assertThat(PersistentMap.of(map).with("c", "3")).hasSize(3);
        assertThat(map).hasSize(2);
    }

    @Test
    void nobodyCanChangeIt() {
        PersistentMap<String, String> map = PersistentMap.of(Map.of("a", "1"));
        assertThatThrownBy(() -> map.put("b", "2")).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> map.values().set(0, "2")).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> map.entrySet().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> map.values().get(1)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void ofTwoValuesWithOneKeyTheLaterStays() {
        assertThat(PersistentMap.of(List.of("a1", "b1", "a2"), text -> text.charAt(0)))
                .isEqualTo(Map.of('a', "a2", 'b', "b1"));
    }

    @Test
    void listsOfDifferentOrdersDifferInEverything() {
        PersistentList<String> up = PersistentList.of(Comparator.<String>naturalOrder(), List.of("a", "b"));
        PersistentList<String> down = PersistentList.of(Comparator.<String>reverseOrder(), List.of("a", "b"));
        assertThat(up).containsExactly("a", "b").isNotEqualTo(down);
        assertThat(down.changesSince(up)).hasSize(4);
        assertThat(up.changesSince(up)).isEmpty();
        assertThat(up.changesSince(PersistentList.of(Comparator.<String>naturalOrder(), List.of("a"))))
                .containsExactly(new Change<>("b", Optional.empty(), Optional.of("b")));
    }

    @Test
    void aListOfItsOwnKeysTakesAndLosesValues() {
        PersistentList<String> list = PersistentList.of(Comparator.comparingInt(String::length), List.of("ccc", "a"));
        assertThat(list.with("bb")).containsExactly("a", "bb", "ccc");
        assertThat(list.with("bb").with("xx").without("a")).containsExactly("xx", "ccc");
        assertThat(list).containsExactly("a", "ccc");
        assertThatThrownBy(() -> PersistentMap.of(Map.of("a", "1")).values().with("2"))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void aTallyForgetsWhatIsCountedNoMore() {
        Counts<String> twice = Counts.<String>empty().plus("a").plus("a").plus("b");
        assertThat(twice.of("a")).isEqualTo(2);
        assertThat(twice.minus("a").of("a")).isEqualTo(1);
        assertThat(twice.minus("b").counts()).isEqualTo(Map.of("a", 2));
        assertThatThrownBy(() -> twice.minus("c")).isInstanceOf(IllegalStateException.class);
    }

    private static PersistentMap<Integer, Integer> filled(Random random, int size) {
        var values = new HashMap<Integer, Integer>();
        for (int i = 0; i < size; i++) {
            values.put(random.nextInt(300), i);
        }
        return PersistentMap.of(values);
    }

    private static PersistentMap<Integer, Integer> edited(PersistentMap<Integer, Integer> map, Random random) {
        int key = random.nextInt(300);
        return switch (random.nextInt(4)) {
            case 0 -> map.without(key);
            case 1 -> map.isEmpty() ? map : map.without(new ArrayList<>(map.keySet()).get(random.nextInt(map.size())));
            default -> map.with(key, random.nextInt(3));
        };
    }

    private static int depth(PersistentMap<?, ?> map) {
        return map.depth();
    }

    /** Counts how often it is compared with another. */
    private static final class Counted {
        private static int compared;
        private final int value;

        Counted(int value) {
            this.value = value;
        }

        @Override
        public boolean equals(Object other) {
            compared++;
            return other instanceof Counted counted && counted.value == value;
        }

        @Override
        public int hashCode() {
            return value;
        }
    }
}
