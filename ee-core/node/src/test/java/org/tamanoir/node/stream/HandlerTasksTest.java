package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.service.Output;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.Task;
import org.tamanoir.service.Timer;
import org.tamanoir.service.Verdict;

/** What a handler does between packets: in order, in time, bounded, and each task run or discarded once. */
@Tag("seeded")
class HandlerTasksTest {
    private final StageRig rig = new StageRig();
    private final RunningService service = TestService.middle(stream -> (packet, out) -> Verdict.PASS);
    private HandlerTasks tasks = new HandlerTasks(service, rig.loop);
    private final List<String> said = new ArrayList<>();

    @AfterEach
    void nothingIsLeft() {
        rig.close();
    }

    private final class Says implements Task {
        final String name;

        Says(String name) {
            this.name = name;
        }

        @Override
        public void run(Output forward, Output back) {
            said.add(name);
        }

        @Override
        public void discarded() {
            said.add("no " + name);
        }
    }

    /** The stream flows: what is due runs on the loop. */
    private void flows() {
        HandlerTasks mine = tasks;
        mine.runOn(entry -> rig.loop.execute(() -> run(entry)));
    }

    private static void run(HandlerTasks.Entry entry) {
        Task task = entry.take();
        if (task != null) {
            try {
                task.run(null, null);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }

    private boolean executes(String name) {
        return tasks.execute(new Says(name));
    }

    private Timer later(int millis, String name) {
        return tasks.later(Duration.ofMillis(millis), new Says(name));
    }

    @Test
    void whatIsAskedWhileTheStreamIsOpenedWaitsUntilItFlowsAndKeepsItsOrder() {
        executes("a");
        later(50, "timer");
        executes("b");
        rig.pass(100);
        executes("c");
        assertThat(said).isEmpty();
        flows();
        executes("d");
        rig.run();
        assertThat(said).containsExactly("a", "timer", "b", "c", "d");
    }

    @Test
    void aTimerRunsWhenItsTimeIsOverAndNotBefore() {
        flows();
        later(20, "late");
        later(10, "early");
        later(-5, "now");
        rig.run();
        assertThat(said).containsExactly("now");
        rig.pass(9);
        assertThat(said).containsExactly("now");
        rig.pass(1);
        assertThat(said).containsExactly("now", "early");
        rig.pass(10);
        assertThat(said).containsExactly("now", "early", "late");
        tasks.later(Duration.ofSeconds(Long.MAX_VALUE), new Says("never"));
        rig.pass(1_000_000);
        tasks.stop();
        tasks.discard();
        assertThat(said).containsExactly("now", "early", "late", "no never");
    }

    @Test
    void aTimerIsCancelledOnceAndNotWhenItHasRun() {
        flows();
        Timer one = later(10, "one");
        Timer two = later(10, "two");
        assertThat(one.cancel()).isTrue();
        assertThat(said).containsExactly("no one");
        assertThat(one.cancel()).isFalse();
        rig.pass(10);
        assertThat(two.cancel()).isFalse();
        assertThat(said).containsExactly("no one", "two");
    }

    /** Its time is over and it waits behind others: it can still be cancelled, and then does not run. */
    @Test
    void aTimerThatIsDueAndHasNotRunCanBeCancelled() {
        Timer timer = later(10, "timer");
        rig.pass(10);
        flows();
        assertThat(timer.cancel()).isTrue();
        rig.run();
        assertThat(said).containsExactly("no timer");
    }

    @Test
    void soManyMayWaitAndTimersDoNotTakeThePlaceOfTasks() {
        for (int i = 0; i < StreamContext.MOST_TIMERS; i++) {
            later(1000, "timer");
        }
        assertThatThrownBy(() -> later(1000, "one too many")).hasMessageStartingWith("EE-309");
        for (int i = 0; i < StreamContext.MOST_TASKS; i++) {
            assertThat(executes("task")).isTrue();
        }
        assertThat(executes("one too many")).isFalse();
        flows();
        rig.run();
        assertThat(said).hasSize(StreamContext.MOST_TASKS);
        assertThat(executes("again")).isTrue();
        rig.run();
        rig.pass(1000);
        assertThat(said).hasSize(StreamContext.MOST_TASKS + 1 + StreamContext.MOST_TIMERS).doesNotContain("one too many");
        later(1, "again");
        rig.pass(1);
        assertThat(said).endsWith("again");
    }

    @Test
    void whenTheStreamIsGoneNothingRunsAnyMoreAndWhatWaitsIsDiscarded() {
        flows();
        executes("a");
        later(10, "timer");
        tasks.stop();
        rig.pass(100);
        assertThat(said).isEmpty();
        assertThat(executes("b")).isFalse();
        Timer none = later(10, "late");
        assertThat(said).as("a timer that will never run").containsExactly("no late");
        assertThat(none.cancel()).isFalse();
        tasks.discard();
        tasks.discard();
        assertThat(said).containsExactly("no late", "no a", "no timer");
    }

    @Test
    void aTaskThatFailsToBeDiscardedIsCountedAndTheOthersAreDiscarded() {
        tasks.execute(new Task() {
            @Override
            public void run(Output forward, Output back) {
                throw new AssertionError();
            }

            @Override
            public void discarded() {
                throw new IllegalStateException("a defect");
            }
        });
        executes("b");
        tasks.stop();
        tasks.discard();
        assertThat(said).containsExactly("no b");
        assertThat(service.errors()).isEqualTo(1);
    }

    @Test
    void whatTheThreadsDoNotTakeIsNotTaken() {
        tasks.runOn(entry -> {
            throw new RejectedExecutionException("ended");
        });
        assertThat(executes("a")).isFalse();
        tasks.stop();
        tasks.discard();
        assertThat(said).isEmpty();
    }

    /** Whatever happens in whatever order: each task that was taken is run or discarded, once, and no other is. */
    @Test
    void eachTaskIsRunOrDiscardedOnce() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            tasks = new HandlerTasks(service, rig.loop);
            said.clear();
            List<String> accepted = new ArrayList<>();
            Map<String, Timer> timers = new HashMap<>();
            boolean flowing = false;
            boolean stopped = false;
            for (int step = 0; step < 40; step++) {
                String name = seed + "." + step;
                switch (random.nextInt(7)) {
                    case 0, 1 -> {
                        if (executes(name)) {
                            accepted.add(name);
                        }
                    }
                    case 2, 3 -> {
                        timers.put(name, later(random.nextInt(30), name));
                        accepted.add(name);
                    }
                    case 4 -> timers.values().stream().skip(random.nextInt(timers.size() + 1)).findFirst().ifPresent(Timer::cancel);
                    case 5 -> rig.pass(random.nextInt(10));
                    default -> {
                        if (!flowing) {
                            flowing = true;
                            flows();
                        } else if (!stopped && random.nextInt(5) == 0) {
                            stopped = true;
                            tasks.stop();
                        }
                    }
                }
            }
            tasks.stop();
            tasks.discard();
            rig.pass(1000);
            assertThat(said.stream().map(each -> each.replace("no ", ""))).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(accepted);
        }
    }
}
