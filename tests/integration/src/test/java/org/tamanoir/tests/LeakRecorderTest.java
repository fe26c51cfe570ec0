package org.tamanoir.tests;

import static org.awaitility.Awaitility.await;

import io.netty.buffer.PooledByteBufAllocator;
import org.junit.jupiter.api.Test;

/** Wrong: a detector that looks at some buffers only, so that every other test may lose one. */
class LeakRecorderTest {
    @Test
    void findsTheOneBufferThatNobodyReleased() {
        lose();
        await().until(() -> LeakRecorder.leaks().stream().anyMatch(leak -> leak.contains("was not released") && leak.contains("LeakRecorderTest.lose")));
    }

    private static void lose() {
        PooledByteBufAllocator.DEFAULT.directBuffer(64).writeByte(1);
    }
}
