package org.tamanoir.node.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.SoftReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/** Against sizes that are known from the layout of objects: 16 octets of head with the length of an array, 4 for a reference, in steps of 8. */
class HeldHeapTest {
    private static final ClassLoader OWN = HeldHeapTest.class.getClassLoader();
    private static final int MANY = 200_000;

    /** On a busy machine a second is not enough. */
    private final HeldHeap heap = new HeldHeap(Duration.ofMinutes(1));

    static final class Holder {
        static Object kept;
        private final Object first;
        private final Holder next;

        Holder(Object first, Holder next) {
            this.first = first;
            this.next = next;
        }
    }

    record Pair(Object left, Object right) {
    }

    private long of(Object... roots) {
        return heap.of(List.of(roots), Set.of(), OWN, Long.MAX_VALUE);
    }

    @Test
    void arraysAreTheirElementsAndWhatIsReachedTwiceCountsOnce() {
        byte[] octets = new byte[1_000_000];
        assertThat(of((Object) octets)).isEqualTo(1_000_016);
        assertThat(of(new Pair(octets, octets), octets, List.of(octets))).isBetween(1_000_016L, 1_000_200L);
        assertThat(of((Object) new long[1000][10])).isEqualTo(16 + 4000 + 1000 * 96);
    }

    @Test
    void collectionsAreCountedToTheirLastElement() {
        List<Object> list = new ArrayList<>();
        Map<Integer, byte[]> map = new HashMap<>();
        Map<Object, Object> concurrent = new ConcurrentHashMap<>();
        for (int i = 0; i < MANY; i++) {
            list.add(new byte[100]);
            map.put(i, new byte[100]);
            concurrent.put("key of " + i, new AtomicReference<>(new int[10]));
        }
        assertThat(of(list)).isCloseTo(MANY * (120L + 4), Percentage.withPercentage(8));
        // An entry of 16 + 16, an Integer of 16 + 8, an array, a place in a table that is at most 3/4 full.
        assertThat(of(map)).isCloseTo(MANY * (120L + 32 + 24 + 5), Percentage.withPercentage(8));
        assertThat(of(concurrent)).isGreaterThan(MANY * 120L);
    }

    /** A sample of an array must not take for many what its elements share. */
    @Test
    void whatElementsShareCountsOnceHoweverManyTheyAre() {
        byte[] shared = new byte[1_000_000];
        Object[] same = new Object[MANY];
        List<Object> pairs = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            same[i] = shared;
            pairs.add(new Pair(i, new Pair(shared, List.of(shared))));
        }
        assertThat(of((Object) same)).isEqualTo(16 + 4L * MANY + 1_000_016);
        long pair = 24 + 24 + 24 + 24;
        assertThat(of(pairs)).isCloseTo(1_000_016 + MANY * (4 + pair), Percentage.withPercentage(10));
        Map<Integer, Object> linked = new java.util.LinkedHashMap<>();
        for (int i = 0; i < MANY; i++) {
            linked.put(i, new byte[100]);
        }
        assertThat(of(linked)).isCloseTo(MANY * (120L + 40 + 24 + 5), Percentage.withPercentage(10));
    }

    @Test
    void aChainIsFollowedHoweverLongItIs() {
        Holder chain = null;
        for (int i = 0; i < MANY; i++) {
            chain = new Holder(i % 1000 == 0 ? new byte[1000] : null, chain);
        }
        assertThat(of(chain)).isCloseTo(MANY * 24L + MANY / 1000 * 1016, Percentage.withPercentage(8));
        assertThat(of(new LinkedList<>(java.util.Collections.nCopies(MANY, 1)))).isCloseTo(MANY * 32L, Percentage.withPercentage(8));
    }

    @Test
    void staticFieldsHoldAndWhatTheCollectorMayTakeDoesNot() {
        Holder.kept = new byte[5_000_000];
        assertThat(heap.of(List.of(), Set.of(Holder.class), OWN, Long.MAX_VALUE)).isGreaterThan(5_000_000);
        Holder.kept = new SoftReference<>(new byte[5_000_000]);
        assertThat(heap.of(List.of(), Set.of(Holder.class), OWN, Long.MAX_VALUE)).isLessThan(1000);
        Holder.kept = null;
    }

    @Test
    void objectsOfOthersAndThreadsLeadNowhere() {
        byte[] octets = new byte[5_000_000];
        Thread thread = new Thread(() -> assertThat(octets).isNotNull());
        assertThat(of(thread, ClassLoader.getSystemClassLoader(), String.class)).isZero();
        assertThat(heap.of(List.of(new Pair(octets, null)), Set.of(), new ClassLoader(null) { }, Long.MAX_VALUE)).as("of another loader").isZero();
    }

    @Test
    void itCountsNoFurtherThanItMust() {
        Holder chain = null;
        for (int i = 0; i < MANY; i++) {
            chain = new Holder(new byte[1000], chain);
        }
        assertThat(heap.of(List.of(chain), Set.of(), OWN, 10_000_000)).isBetween(10_000_000L, 12_000_000L);
    }
}
