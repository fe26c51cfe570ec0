package org.tamanoir.tests;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Netty's leak detector, in a form that tests can ask. Made by Netty itself, which the system property
 * {@code io.netty.customResourceLeakDetector} tells to.
 *
 * @param <T> what is tracked
 */
public final class LeakRecorder<T> extends ResourceLeakDetector<T> {
    private static final Queue<String> LEAKS = new ConcurrentLinkedQueue<>();

    public LeakRecorder(Class<?> type, int interval) {
        super(type, interval);
    }

    @SuppressWarnings("deprecation") // Netty looks for both constructors
    public LeakRecorder(Class<?> type, int interval, long most) {
        super(type, interval, most);
    }

    /** Buffers that nobody holds and nobody has released, since the last time; each with where it was last touched. */
    static List<String> leaks() {
        for (int i = 0; i < 2; i++) {
            System.gc();
            // Netty looks for what the collector has found whenever it hands a buffer out.
            ByteBuf buffer = PooledByteBufAllocator.DEFAULT.directBuffer(64);
            buffer.release();
        }
        List<String> found = new ArrayList<>();
        for (String leak = LEAKS.poll(); leak != null; leak = LEAKS.poll()) {
            found.add(leak);
        }
        return found;
    }

    @Override
    protected boolean needReport() {
        return true;
    }

    @Override
    protected void reportTracedLeak(String type, String records) {
        LEAKS.add(type + " was not released; touched at" + records);
    }

    @Override
    protected void reportUntracedLeak(String type) {
        LEAKS.add(type + " was not released");
    }
}
