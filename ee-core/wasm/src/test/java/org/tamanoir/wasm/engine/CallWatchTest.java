package org.tamanoir.wasm.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.brake.Brakes;
import org.tamanoir.wasm.image.Modules;
import org.tamanoir.wasm.module.WasmLimits;
import org.tamanoir.wasm.testing.ModuleWriter;
import org.tamanoir.wasm.testing.ModuleWriter.Code;

/** Who takes too much time is stopped, and nobody else. */
class CallWatchTest {
    private static final byte[] ENDLESS = ModuleWriter.service(new Code().get(0).ifThen().loop().br(0).end().end().i32(0)).toBytes();
    private final CallWatch watch = new CallWatch();

    @AfterEach
    void end() {
        watch.close();
        assertThat(Brakes.isOn()).isFalse();
        assertThat(Thread.interrupted()).isFalse();
    }

    private static WasmInstance warm() {
        WasmInstance instance = Modules.start(ENDLESS);
        for (int i = 0; i < 1000; i++) {
            instance.call("tamanoir_run", 0, 0, 0);
        }
        return instance;
    }

    @Test
    void aLoopWithoutEndTakesNoMoreThanItsTimeOfTheProcessor() {
        long least = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 20; attempt++) {
            try (WasmInstance instance = warm()) {
                long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
                assertThatThrownBy(() -> instance.call("tamanoir_run", 1, 0, 0)).isInstanceOfSatisfying(AnepException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.MODULE_TOO_SLOW));
                assertThat(instance.wasStopped()).isTrue();
                least = Math.min(least, ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - before);
            }
        }
        // The watchman waits for a processor as others do: the best of several attempts says what he can do.
        assertThat(Duration.ofNanos(least)).isLessThan(Duration.ofMillis(8));
    }

    @Test
    void aThreadThatWaitsTakesNoTimeOfTheProcessor() {
        CallWatch.Call call = watch.enter(TimeUnit.MILLISECONDS.toNanos(5));
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        assertThat(call.leave()).isFalse();
    }

    @Test
    void anInterruptStopsAModuleAndIsForgotten() throws Exception {
        try (WasmInstance instance = Modules.start(ENDLESS, WasmLimits.PRESET.callTime(Duration.ofMinutes(10)))) {
            Thread itself = Thread.currentThread();
            Thread other = new Thread(() -> {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
                itself.interrupt();
            });
            other.start();
            assertThatThrownBy(() -> instance.call("tamanoir_run", 1, 0, 0)).isInstanceOfSatisfying(AnepException.class,
                    e -> assertThat(e.code()).isEqualTo(ErrorCode.MODULE_TOO_SLOW));
            assertThat(itself.isInterrupted()).isFalse();
            other.join();
        }
    }

    @Test
    void anInterruptFromBeforeTheCallStays() {
        try (WasmInstance instance = Modules.start(ENDLESS)) {
            Thread.currentThread().interrupt();
            assertThat(instance.call("tamanoir_run", 0, 0, 0)).isZero();
            assertThatThrownBy(() -> instance.call("tamanoir_run", 1, 0, 0)).isInstanceOf(AnepException.class);
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    /** The node's own watch puts the brakes on by itself. */
    @Test
    void theBrakesOfTheNodeStopAModule() throws Exception {
        try (WasmInstance instance = Modules.start(ENDLESS, WasmLimits.PRESET.callTime(Duration.ofMinutes(10)))) {
            Thread itself = Thread.currentThread();
            Thread other = new Thread(() -> {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
                Brakes.put(itself);
            });
            other.start();
            assertThatThrownBy(() -> instance.call("tamanoir_run", 1, 0, 0)).isInstanceOf(AnepException.class);
            other.join();
            Brakes.release(itself);
        }
    }

    @Test
    void theWatchmanSleepsWhenNobodyIsInside() {
        watch.enter(TimeUnit.SECONDS.toNanos(1)).leave();
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300));
        long before = watch.looks();
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300));
        assertThat(watch.looks() - before).isLessThan(3);
        // And wakes for the next one.
        CallWatch.Call call = watch.enter(1);
        for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(5); !Brakes.isOn() && System.nanoTime() - end < 0;) {
            Thread.onSpinWait();
        }
        assertThat(call.leave()).isTrue();
    }
}
