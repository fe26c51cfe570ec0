package org.tamanoir.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Nothing leaks: after the tests of a class every pooled buffer is back, and Netty's detector, which follows every one of them, has seen
 * none go without a release.
 */
public final class Leaks implements BeforeAllCallback, AfterAllCallback {
    private static final Queue<String> SEEN = new ConcurrentLinkedQueue<>();

    @Override
    public void beforeAll(ExtensionContext context) {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        ByteBufUtil.setLeakListener((type, records) -> SEEN.add(type + "\n" + records));
    }

    @Override
    public void afterAll(ExtensionContext context) {
        await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> assertThat(pinned()).as("octets in buffers not given back").isZero());
        assertThat(SEEN).isEmpty();
    }

    /** Octets in pooled buffers that somebody holds. */
    public static long pinned() {
        return PooledByteBufAllocator.DEFAULT.pinnedDirectMemory();
    }
}
