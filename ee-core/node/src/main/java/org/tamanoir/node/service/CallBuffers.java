package org.tamanoir.node.service;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Where one handler takes buffers from: those of its node, within what its policy allows for one call. A loop that allocates for
 * ever ends with EE-309 before the process runs out of memory.
 */
public final class CallBuffers extends AbstractByteBufAllocator {
    private final RunningService service;
    private final ByteBufAllocator buffers;
    private final long most;
    private long taken;

    public CallBuffers(RunningService service, ByteBufAllocator buffers) {
        super(true);
        this.buffers = buffers;
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
        return buffers.directBuffer(initial, (int) Math.min(max, most));
    }

    @Override
    protected ByteBuf newHeapBuffer(int initial, int max) {
        take(initial);
        return buffers.heapBuffer(initial, (int) Math.min(max, most));
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
        return buffers.isDirectBufferPooled();
    }
}
