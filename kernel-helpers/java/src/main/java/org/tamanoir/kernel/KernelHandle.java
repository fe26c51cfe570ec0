package org.tamanoir.kernel;

import com.sun.jna.Pointer;
import java.util.concurrent.locks.StampedLock;
import java.util.function.ToIntFunction;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** A {@code struct tam}, which no call can reach once it is closed: calls hold a lock for reading, closing takes it for writing. */
final class KernelHandle implements AutoCloseable {
    private final StampedLock lock = new StampedLock();
    private volatile Pointer tam;

    KernelHandle(Pointer tam) {
        this.tam = tam;
    }

    /**
     * Makes a native call.
     *
     * @throws AnepException EE-601 if this is closed
     */
    int call(ToIntFunction<Pointer> call) {
        long stamp = lock.readLock();
        try {
            if (tam == null) {
                throw closed();
            }
            return call.applyAsInt(tam);
        } finally {
            lock.unlockRead(stamp);
        }
    }

    boolean isClosed() {
        return tam == null;
    }

    static AnepException closed() {
        return new AnepException(ErrorCode.KERNEL, "the kernel helper of this node is closed");
    }

    @Override
    public void close() {
        long reading = lock.readLock();
        try {
            if (tam == null) {
                return;
            }
            // Whoever waits for an event holds the lock for reading.
            KernelNative.tam_wake(tam);
        } finally {
            lock.unlockRead(reading);
        }
        long writing = lock.writeLock();
        try {
            if (tam != null) {
                KernelNative.tam_close(tam);
                tam = null;
            }
        } finally {
            lock.unlockWrite(writing);
        }
    }
}
