package org.tamanoir.node.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.node.service.NodeServiceContext.NodeMeans;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;
import org.tamanoir.service.Level;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.guard.LoopGuard;

class ServiceWatchTest {
    private static RunningService allowed(long millis) {
        return new RunningService(0x5501, Level.MIDDLE, stream -> (packet, out) -> Verdict.PASS,
                new NodeServiceContext("test", "1.0.0", new MapConfiguration("test", Map.of()), null, Map.of(), null,
                        new NodeMeans(null, null, null, null, null, null, null, null, null, null)), 1,
                ServicePolicy.preset(FailurePolicy.RESTART, Duration.ofMillis(millis)));
    }

    @Test
    @Timeout(20)
    void aLoopThatIsWovenAndAWaitAreBothStoppedAndTheThreadGoesOn() {
        RunningService service = allowed(100);
        try (ServiceWatch watch = new ServiceWatch(Duration.ofMillis(100))) {
            ServiceWatch.Mark mark = watch.ofThisThread();
            for (int round = 0; round < 3; round++) {
                mark.enter(service);
                assertThatThrownBy(() -> {
                    while (true) {
                        LoopGuard.check();
                    }
                }).isInstanceOf(LoopGuard.ServiceStopped.class);
                mark.leave();
                assertThat(mark.wasStopped()).isTrue();

                mark.enter(service);
                assertThatThrownBy(() -> Thread.sleep(60_000)).isInstanceOf(InterruptedException.class);
                mark.leave();
                assertThat(mark.wasStopped()).isTrue();
                assertThat(Thread.currentThread().isInterrupted()).isFalse();
                LoopGuard.check();
            }
        }
    }

    @Test
    void manyShortCallsAreNeverTakenForALongOne() throws InterruptedException {
        RunningService service = allowed(50);
        try (ServiceWatch watch = new ServiceWatch(Duration.ofMillis(50))) {
            ServiceWatch.Mark mark = watch.ofThisThread();
            for (long end = System.nanoTime() + 400_000_000L; System.nanoTime() < end;) {
                mark.enter(service);
                mark.leave();
                assertThat(mark.wasStopped()).isFalse();
            }
            Thread.sleep(200);
            assertThat(mark.wasStopped()).isFalse();
        }
    }

    @Test
    @Tag("long")
    void aServiceIsNotBlamedForTheTimeOfTheOneThatItPassesPacketsTo() throws InterruptedException {
        // A busy machine may stop everything for some hundred milliseconds.
        RunningService outer = allowed(1000);
        RunningService inner = allowed(20_000);
        try (ServiceWatch watch = new ServiceWatch(Duration.ofMillis(1000))) {
            ServiceWatch.Mark mark = watch.ofThisThread();
            mark.enter(outer);
            mark.enter(inner);
            Thread.sleep(2500);
            LoopGuard.check();
            mark.leave();
            assertThat(mark.wasStopped()).isFalse();
            mark.leave();
            assertThat(mark.wasStopped()).isFalse();
        }
    }

    @Test
    @Timeout(20)
    @Tag("long")
    void aServiceThatEmitsForEverIsStoppedAndNotTheOneThatItEmitsTo() {
        RunningService outer = allowed(1000);
        RunningService inner = allowed(1000);
        try (ServiceWatch watch = new ServiceWatch(Duration.ofMillis(1000))) {
            ServiceWatch.Mark mark = watch.ofThisThread();
            for (int round = 0; round < 3; round++) {
                mark.enter(outer);
                assertThatThrownBy(() -> {
                    while (true) {
                        mark.enter(inner);
                        for (long end = System.nanoTime() + 100_000; System.nanoTime() < end;) {
                            LoopGuard.check();
                        }
                        mark.leave();
                        if (mark.wasStopped()) {
                            throw new IllegalStateException("the inner one is blamed");
                        }
                        LoopGuard.check();
                    }
                }).isInstanceOf(LoopGuard.ServiceStopped.class);
                mark.leave();
                assertThat(mark.wasStopped()).isTrue();
                assertThat(watch.stuck()).isEmpty();
                LoopGuard.check();
            }
        }
    }

    @Test
    @Timeout(20)
    void whoDoesNotReturnToTheServiceThatCalledIsStoppedAndTheOtherGoesOn() {
        RunningService outer = allowed(1000);
        RunningService inner = allowed(100);
        try (ServiceWatch watch = new ServiceWatch(Duration.ofMillis(100))) {
            ServiceWatch.Mark mark = watch.ofThisThread();
            mark.enter(outer);
            mark.enter(inner);
            assertThatThrownBy(() -> Thread.sleep(60_000)).isInstanceOf(InterruptedException.class);
            mark.leave();
            LoopGuard.check();
            assertThat(mark.wasStopped()).isTrue();
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            mark.leave();
            assertThat(mark.wasStopped()).isFalse();
        }
    }
}
