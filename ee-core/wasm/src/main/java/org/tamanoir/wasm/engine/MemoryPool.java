package org.tamanoir.wasm.engine;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Arrays of memories that were given back, for instances that come. Instances come and go with streams, and 16 MB are more than the young generation of a
 * node takes: without this a few modules that take as much as they may keep its collector at work, and every stream of the node waits for that.
 *
 * <p>Any thread. A module may come here with no stack left, so that any call throws: an array may be lost by that, and is never had by two.
 */
final class MemoryPool {
    private static final int PLACES = 64;

    /** Octets that are zero from the second number on. */
    private record Idle(byte[] octets, int used) {
    }

    private final AtomicReferenceArray<Idle> places = new AtomicReferenceArray<>(PLACES);
    private final long most;
    /** The place where the next one is put; what is there has been there for long. */
    private int next;

    /** @param most octets that may lie here, or a little more where several threads give at the same time */
    MemoryPool(long most) {
        this.most = most;
    }

    /** Pages of an array for a memory that has grown to so many: the next of 8, 10, 12, 14, 16, 20 and so on, so that sizes are met again, and few steps lead to the largest. */
    static int pages(int wanted) {
        int step = Math.max(1, Integer.highestOneBit(wanted - 1) >> 2);
        return (wanted + step - 1) / step * step;
    }

    /** An array that begins with these octets and has zeros behind them. */
    byte[] take(int length, byte[] beginning) {
        for (int i = 0; i < PLACES; i++) {
            Idle found = places.get(i);
            if (found != null && found.octets.length == length && places.compareAndSet(i, found, null)) {
                Arrays.fill(found.octets, Math.min(beginning.length, found.used), found.used, (byte) 0);
                System.arraycopy(beginning, 0, found.octets, 0, beginning.length);
                return found.octets;
            }
        }
        return beginning.length == 0 ? new byte[length] : Arrays.copyOf(beginning, length);
    }

    /** Takes an array back that nobody writes to any more. @param used octets from which on it is zero */
    void give(byte[] octets, int used) {
        if (octets.length == 0 || octets.length > most) {
            return;
        }
        int at = Math.floorMod(next, PLACES);
        next = at + 1;
        places.set(at, new Idle(octets, used));
        for (int i = at + 1; i < at + PLACES && held() > most; i++) {
            places.set(i % PLACES, null);
        }
    }

    /** Octets that lie here. */
    long held() {
        long sum = 0;
        for (int i = 0; i < PLACES; i++) {
            Idle each = places.get(i);
            sum += each == null ? 0 : each.octets.length;
        }
        return sum;
    }
}
