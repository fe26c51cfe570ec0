package org.tamanoir.node.service;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Where one handler takes buffers from: the pool of the process, within what its policy allows for one call. A loop that allocates for
 * ever ends with EE-309 before the process runs out of memory.
 */
public final class CallBuffers extends AbstractByteBufAllocator {
    private final RunningService service;
    private final long most;
    private long taken;

    public CallBuffers(RunningService service) {
        super(true);
        this.service = service;
        this.most = service.policy().memoryBytes();
    }

    /** A call begins. */
    public void reset() {
        taken = 0;
    }

    @Override
    protected ByteBuf newDirectBuffer(int initial, int max) {
        take(initial);
        return PooledByteBufAllocator.DEFAULT.directBuffer(initial, (int) Math.min(max, most));
    }

    @Override
    protected ByteBuf newHeapBuffer(int initial, int max) {
        take(initial);
        return PooledByteBufAllocator.DEFAULT.heapBuffer(initial, (int) Math.min(max, most));
    }

    private void take(int octets) {
        taken += octets;
        if (taken > most) {
            throw new AnepException(ErrorCode.SERVICE_LIMIT, service + " takes " + taken + " octets of buffers in one call and may take "
                    + most);
        }
    }

    @Override
    public boolean isDirectBufferPooled() {
        return true;
    }
}
