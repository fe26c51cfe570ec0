package org.tamanoir.transfer.mover;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.transfer.Extent;

/** Memory for extents, of which all streams together have so much: who needs more than there is waits. */
final class BufferBudget {
    private static final int UNIT = 1 << 10;
    private static final long PATIENCE_SECONDS = 20;

    private final Semaphore units;

    BufferBudget(long octets) {
        this.units = new Semaphore((int) Math.min(Integer.MAX_VALUE, Math.max(octets, Extent.LARGEST) / UNIT), true);
    }

    /** The buffer of one direction of one stream: as large as what it has had to hold, and given back when the stream ends. Of one thread at a time. */
    final class Buffer implements AutoCloseable {
        private ByteBuf buffer = Unpooled.EMPTY_BUFFER;

        /**
         * Room for so many octets; what was in it is gone.
         *
         * @throws AnepException EE-405 if no extent is as large, EE-209 if others had all memory for too long
         */
        ByteBuffer of(int octets) {
            if (octets > Extent.LARGEST) {
                throw new AnepException(ErrorCode.TOO_LARGE, "an extent of " + octets + " octets; one has at most " + Extent.LARGEST);
            }
            if (octets > buffer.capacity()) {
                close();
                int size = (octets + UNIT - 1) / UNIT;
                try {
                    if (!units.tryAcquire(size, PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                        throw new AnepException(ErrorCode.MEMORY_FULL, "other streams had all memory for extents for " + PATIENCE_SECONDS + " s");
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new AnepException(ErrorCode.STOPPING, "the mover stops", e);
                }
                buffer = Unpooled.directBuffer(size * UNIT, size * UNIT);
            }
            return buffer.internalNioBuffer(0, buffer.capacity()).clear().limit(octets);
        }

        @Override
        public void close() {
            int size = buffer.capacity() / UNIT;
            buffer.release();
            buffer = Unpooled.EMPTY_BUFFER;
            units.release(size);
        }
    }
}
