package org.tamanoir.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BackgroundExecutorTest {
    private static final int MOST = 10;
    private static final String SCHED_OTHER = "0";
    private static final String SCHED_IDLE = "5";

    private final BackgroundExecutor executor = new BackgroundExecutor("background", MOST);
    private final CountDownLatch processor = new CountDownLatch(1);

    @AfterEach
    void end() {
        processor.countDown();
        executor.shutdown();
    }

    /** Field 41 of {@code proc(5)}; the name in field 2 may hold blanks, so it is counted from its closing bracket. */
    private static String policy() throws Exception {
        String stat = Files.readString(Path.of("/proc/thread-self/stat"));
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ")[41 - 3];
    }

    @Test
    void itsThreadGivesWayToAllOthers() throws Exception {
        assertThat(executor.submit(BackgroundExecutorTest::policy).get()).isEqualTo(SCHED_IDLE);
        assertThat(policy()).isEqualTo(SCHED_OTHER);
    }

    @Test
    void whatHasWaitedForTooLongIsDoneAllTheSameAndInNoHurry() throws Exception {
        executor.execute(this::awaitProcessor);
        long began = System.nanoTime();
        List<Future<String>> waiting = new ArrayList<>();
        for (int i = 0; i < MOST; i++) {
            waiting.add(executor.submit(BackgroundExecutorTest::policy));
        }
        assertThatThrownBy(() -> executor.execute(() -> { })).isInstanceOf(RejectedExecutionException.class);
        for (Future<String> each : waiting) {
            assertThat(each.get(20, TimeUnit.SECONDS)).isEqualTo(SCHED_OTHER);
        }
        assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began))
                .isGreaterThanOrEqualTo(BackgroundExecutor.PATIENCE + (MOST - 1) * BackgroundExecutor.PACE);
    }

    private void awaitProcessor() {
        try {
            processor.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
