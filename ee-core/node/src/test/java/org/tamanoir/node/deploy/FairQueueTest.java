package org.tamanoir.node.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Driven by hand: a task that has begun runs when the test says so. */
class FairQueueTest {
    private static final int AT_ONCE = 3;

    private final Queue<Runnable> begun = new ArrayDeque<>();
    private final FairQueue queue = new FairQueue(AT_ONCE, begun::add);
    private final List<String> ran = new ArrayList<>();
    private final Map<String, ErrorCode> refused = new HashMap<>();

    private record Named(String name, FairQueueTest test) implements FairQueue.Task {
        @Override
        public void run() {
            test.ran.add(name);
        }

        @Override
        public void refused(AnepException why) {
            test.refused.put(name, why.code());
        }
    }

    private Named task(String name) {
        return new Named(name, this);
    }

    private void flood(String account, int count) {
        IntStream.range(0, count).forEach(i -> queue.add(account, task(account + " " + i)));
    }

    private void runAll() {
        while (!begun.isEmpty()) {
            begun.poll().run();
        }
    }

    @Test
    void aPeerWhoseTasksDoNotEndHoldsOneThread() {
        flood("slow", 100);
        assertThat(begun).hasSize(1);
        Runnable stuck = begun.poll();
        flood("quick", 10);
        queue.add("third", task("third"));
        runAll();
        assertThat(ran).hasSize(11).contains("third", "quick 9").noneMatch(name -> name.startsWith("slow"));
        stuck.run();
        assertThat(begun).as("the next of the slow one").hasSize(1);
    }

    @Test
    void peersTakeTurnsWhereThereAreMoreThanThreads() {
        for (String account : List.of("a", "b", "c", "d", "e")) {
            flood(account, 2);
        }
        runAll();
        assertThat(ran).containsExactly("a 0", "b 0", "c 0", "d 0", "e 0", "a 1", "b 1", "c 1", "d 1", "e 1");
    }

    @Test
    void whatTwoPeersWaitForRunsOnceWhenEitherHasItsTurn() {
        flood("slow", 2);
        queue.add("slow", task("shared"));
        queue.join("other", task("shared"));
        queue.join("other", task("never added"));
        Runnable stuck = begun.poll();
        runAll();
        assertThat(ran).containsExactly("shared");
        stuck.run();
        runAll();
        assertThat(ran).containsExactly("shared", "slow 0", "slow 1");
    }

    @Test
    void whatTheNodeItselfWantsLeavesTheQueue() {
        flood("slow", 2);
        assertThat(queue.withdraw(task("slow 1"))).isTrue();
        assertThat(queue.withdraw(task("slow 1"))).isFalse();
        assertThat(queue.withdraw(task("slow 0"))).as("it has begun").isFalse();
        runAll();
        assertThat(ran).containsExactly("slow 0");
    }

    @Test
    void aFloodIsRefusedAndOthersAreNot() {
        flood("flood", FairQueue.MOST_OF_ACCOUNT + 3);
        assertThat(refused).hasSize(2).containsValue(ErrorCode.BUSY);
        queue.add("other", task("other"));
        assertThat(refused).hasSize(2);
    }

    @Test
    void whenManyFloodTheLongestWaitGivesWay() {
        for (int peer = 0; peer * FairQueue.MOST_OF_ACCOUNT < FairQueue.MOST + FairQueue.MOST_OF_ACCOUNT; peer++) {
            flood("flood" + peer, FairQueue.MOST_OF_ACCOUNT + 1);
        }
        int before = refused.size();
        queue.add("late", task("late"));
        queue.add("late", task("late again"));
        assertThat(refused).hasSize(before + 2).doesNotContainKeys("late", "late again");
        runAll();
        assertThat(ran).contains("late", "late again");
    }

    /** Any history: each task runs once or is refused once, and no account ever has two threads. */
    @Property(tries = 300)
    void nothingIsLostOrDoneTwice(@ForAll long seed) {
        new FairQueueTest().live(new Random(seed));
    }

    private void live(Random random) {
        int added = 0;
        int withdrawn = 0;
        for (int i = 0; i < 400; i++) {
            String account = "peer" + random.nextInt(5);
            switch (random.nextInt(5)) {
                case 0, 1 -> queue.add(account, task("task " + added++));
                case 2 -> queue.join(account, task("task " + random.nextInt(added + 1)));
                case 3 -> withdrawn += queue.withdraw(task("task " + random.nextInt(added + 1))) ? 1 : 0;
                default -> {
                    if (!begun.isEmpty()) {
                        begun.poll().run();
                    }
                }
            }
            assertThat(begun.size()).isLessThanOrEqualTo(AT_ONCE);
        }
        runAll();
        assertThat(ran).doesNotHaveDuplicates().hasSize(added - withdrawn - refused.size());
    }
}
