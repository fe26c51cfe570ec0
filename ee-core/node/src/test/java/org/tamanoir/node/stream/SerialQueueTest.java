package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tasks of one stream on the threads of a service: in order, one at a time, none lost. */
@Tag("seeded")
class SerialQueueTest {
    /** Threads that run what the test tells them to. */
    private static final class ByHand implements Executor {
        final Deque<Runnable> waiting = new ArrayDeque<>();
        boolean closed;

        @Override
        public void execute(Runnable task) {
            if (closed) {
                throw new RejectedExecutionException("closed");
            }
            waiting.add(task);
        }

        void runAll() {
            while (!waiting.isEmpty()) {
                waiting.poll().run();
            }
        }
    }

    private final ByHand threads = new ByHand();
    private final List<String> ran = new ArrayList<>();

    @Test
    void tasksRunInOrderWhateverComesBetweenThem() {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            SerialQueue queue = new SerialQueue(threads);
            List<Integer> done = new ArrayList<>();
            int added = 0;
            while (added < 30 || !threads.waiting.isEmpty()) {
                if (added < 30 && random.nextBoolean()) {
                    int number = added++;
                    queue.execute(() -> done.add(number));
                } else if (!threads.waiting.isEmpty()) {
                    threads.waiting.poll().run();
                }
                assertThat(threads.waiting).as("turns that one queue asks for, seed %d", seed).hasSizeLessThanOrEqualTo(1);
            }
            assertThat(done).as("seed %d", seed).containsExactlyElementsOf(IntStream.range(0, 30).boxed().toList());
        }
    }

    @Test
    void aTaskThatIsAddedByATaskComesBehindThoseThatWait() {
        SerialQueue queue = new SerialQueue(threads);
        queue.execute(() -> {
            ran.add("a");
            queue.execute(() -> ran.add("c"));
        });
        queue.execute(() -> ran.add("b"));
        threads.runAll();
        assertThat(ran).containsExactly("a", "b", "c");
    }

    @Test
    void queuesShareTheThreadsTaskByTask() {
        SerialQueue one = new SerialQueue(threads);
        SerialQueue two = new SerialQueue(threads);
        for (int i = 0; i < 3; i++) {
            int number = i;
            one.execute(() -> ran.add("one" + number));
            two.execute(() -> ran.add("two" + number));
        }
        threads.runAll();
        assertThat(ran).containsExactly("one0", "two0", "one1", "two1", "one2", "two2");
    }

    @Test
    void noTurnIsAskedForWhereNothingWaits() {
        SerialQueue queue = new SerialQueue(threads);
        queue.execute(() -> ran.add("a"));
        threads.waiting.poll().run();
        assertThat(threads.waiting).isEmpty();
        queue.execute(() -> ran.add("b"));
        threads.runAll();
        assertThat(ran).containsExactly("a", "b");
    }

    @Test
    void aTaskThatFailsDoesNotTakeOthersWithIt() {
        SerialQueue queue = new SerialQueue(threads);
        queue.execute(() -> {
            throw new IllegalStateException("a defect");
        });
        queue.execute(() -> {
            throw new AssertionError("another");
        });
        queue.execute(() -> ran.add("after"));
        threads.runAll();
        assertThat(ran).containsExactly("after");
    }

    @Test
    void whereTheThreadsAreEndedWhatWasTakenRunsAndWhatComesIsRefused() {
        SerialQueue queue = new SerialQueue(threads);
        queue.execute(() -> ran.add("a"));
        queue.execute(() -> ran.add("b"));
        queue.execute(() -> ran.add("c"));
        threads.closed = true;
        threads.runAll();
        assertThat(ran).containsExactly("a", "b", "c");
        assertThatThrownBy(() -> queue.execute(() -> ran.add("d"))).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> queue.execute(() -> ran.add("e"))).isInstanceOf(RejectedExecutionException.class);
        threads.closed = false;
        queue.execute(() -> ran.add("f"));
        threads.runAll();
        assertThat(ran).as("what was refused does not run later").containsExactly("a", "b", "c", "f");
    }

    /** The threads refuse one task while another thread adds the next: that one is run, as it may hold what has to be given back. */
    @Test
    void aTaskThatComesWhileTheOneBeforeIsRefusedIsNotLost() throws Exception {
        AtomicReference<String> second = new AtomicReference<>("lost");
        Thread[] other = new Thread[1];
        SerialQueue[] queue = new SerialQueue[1];
        queue[0] = new SerialQueue(task -> {
            if (other[0] == null) {
                other[0] = new Thread(() -> {
                    try {
                        queue[0].execute(() -> second.set("run"));
                    } catch (RejectedExecutionException e) {
                        second.set("refused");
                    }
                });
                other[0].start();
                while (other[0].getState() != Thread.State.TERMINATED) {
                    Thread.onSpinWait();
                }
            }
            throw new RejectedExecutionException("closed");
        });
        assertThatThrownBy(() -> queue[0].execute(() -> ran.add("first"))).isInstanceOf(RejectedExecutionException.class);
        other[0].join();
        assertThat(second).hasValue("run");
        assertThat(ran).isEmpty();
    }

    /** As where no thread can be made: whoever adds is told, and the queue is not stuck with what nobody has a turn for. */
    @Test
    void threadsThatFailAreAskedAgain() {
        boolean[] fails = {true};
        SerialQueue queue = new SerialQueue(task -> {
            if (fails[0]) {
                throw new OutOfMemoryError("no thread");
            }
            threads.execute(task);
        });
        assertThatThrownBy(() -> queue.execute(() -> ran.add("a"))).isInstanceOf(OutOfMemoryError.class);
        fails[0] = false;
        queue.execute(() -> ran.add("b"));
        queue.execute(() -> ran.add("c"));
        fails[0] = true;
        threads.runAll();
        fails[0] = false;
        queue.execute(() -> ran.add("d"));
        threads.runAll();
        assertThat(ran).as("what was refused does not run later").containsExactly("b", "c", "d");
    }

    /** Real threads: a plain counter that two tasks at once, or one without the memory of the one before, would spoil. */
    @Test
    void noTwoTasksRunAtOnceAndEachSeesWhatTheOneBeforeDid() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        try {
            SerialQueue queue = new SerialQueue(pool);
            int[] last = {-1, -1, -1};
            int[] count = new int[1];
            AtomicBoolean inside = new AtomicBoolean();
            AtomicReference<String> wrong = new AtomicReference<>();
            CountDownLatch done = new CountDownLatch(3 * 5000);
            for (int producer = 0; producer < 3; producer++) {
                int who = producer;
                new Thread(() -> {
                    for (int i = 0; i < 5000; i++) {
                        int number = i;
                        queue.execute(() -> {
                            if (!inside.compareAndSet(false, true) || last[who] != number - 1) {
                                wrong.set("task " + number + " of " + who + " after " + last[who]);
                            }
                            last[who] = number;
                            count[0]++;
                            inside.set(false);
                            done.countDown();
                        });
                    }
                }).start();
            }
            assertThat(done.await(60, TimeUnit.SECONDS)).as("every task has run").isTrue();
            assertThat(wrong).hasValue(null);
            CountDownLatch seen = new CountDownLatch(1);
            queue.execute(() -> {
                assertThat(count[0]).isEqualTo(15_000);
                seen.countDown();
            });
            assertThat(seen.await(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            pool.shutdownNow();
        }
    }
}
