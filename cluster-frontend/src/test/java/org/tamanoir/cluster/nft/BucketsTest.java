package org.tamanoir.cluster.nft;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** What the placement of buckets promises, for any weights. */
class BucketsTest {
    private static final int MOST_WEIGHT = 253;

    @Property(tries = 200)
    void sharesAreWithinOneBucketOfTheWeights(@ForAll @Size(min = 1, max = 64) List<@IntRange(max = MOST_WEIGHT) Integer> list) {
        Map<String, Integer> weights = named(list);
        long total = list.stream().mapToLong(Integer::longValue).sum();
        List<String> placed = Buckets.place(weights);
        if (total == 0) {
            assertThat(placed).isEmpty();
            return;
        }
        assertThat(placed).hasSize(Buckets.SIZE);
        weights.forEach((name, weight) -> assertThat((double) Collections.frequency(placed, name)).as(name)
                .isBetween((double) weight * Buckets.SIZE / total - 1, (double) weight * Buckets.SIZE / total + 1));
    }

    /** One back end comes, goes or changes its weight. The others' buckets are to stay with them, but for a few. */
    @Property(tries = 300, seed = "20031")
    void onlyAsManyBucketsMoveAsMustAndALittle(@ForAll @Size(min = 1, max = 16) List<@IntRange(min = 1, max = 100) Integer> list,
            @ForAll @IntRange(max = 16) int which, @ForAll @IntRange(max = 100) int weight) {
        Map<String, Integer> before = named(list);
        Map<String, Integer> after = new HashMap<>(before);
        after.put("b" + Math.min(which, list.size()), weight);
        List<String> old = Buckets.place(before);
        List<String> now = Buckets.place(after);
        if (!now.isEmpty()) {
            assertThat(moved(old, now) - mustMove(old, now)).isLessThanOrEqualTo((int) (Buckets.SLACK * Buckets.SIZE));
        }
    }

    @Test
    void nobodyIsLeftWithoutABucketWhereThereIsRoom() {
        Map<String, Integer> weights = new HashMap<>(Map.of("tiny", 1));
        for (int i = 0; i < 30; i++) {
            weights.put("b" + i, MOST_WEIGHT);
        }
        assertThat(Buckets.place(weights)).contains("tiny");
    }

    /** A director that has just started agrees with one that has seen many changes, and with one that heard of the back ends in another order. */
    @Test
    void thePlaceIsAFunctionOfNamesAndWeights() {
        Map<String, Integer> one = new LinkedHashMap<>();
        Map<String, Integer> other = new LinkedHashMap<>();
        for (int i = 0; i < 5; i++) {
            one.put("b" + i, 10 + i);
            other.put("b" + (4 - i), 14 - i);
        }
        assertThat(Buckets.place(one)).isEqualTo(Buckets.place(other)).isEqualTo(Buckets.place(new TreeMap<>(one)));
        // Of another release, or on another machine: the pair of them must agree too.
        assertThat(Buckets.place(one).subList(0, 12)).isEqualTo(GOLDEN);
    }

    private static final List<String> GOLDEN = List.of("b3", "b0", "b1", "b1", "b4", "b2", "b0", "b2", "b3", "b0", "b0", "b3");

    private static int moved(List<String> old, List<String> now) {
        int moved = 0;
        for (int i = 0; i < Buckets.SIZE; i++) {
            moved += old.get(i).equals(now.get(i)) ? 0 : 1;
        }
        return moved;
    }

    private static int mustMove(List<String> old, List<String> now) {
        return old.stream().distinct().mapToInt(name -> Math.max(0, Collections.frequency(old, name) - Collections.frequency(now, name))).sum();
    }

    private static Map<String, Integer> named(List<Integer> weights) {
        Map<String, Integer> named = new HashMap<>();
        for (int i = 0; i < weights.size(); i++) {
            named.put("b" + i, weights.get(i));
        }
        return named;
    }
}
