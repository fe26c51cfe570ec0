package org.tamanoir.services.cache;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.function.Consumer;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.Output;

/** An output that leads to no stream: to a connection of the service, or nowhere. */
final class SinkOutput implements Output {
    private final Consumer<ByteBuf> payloads;

    /** @param payloads takes what is emitted, and the reference */
    SinkOutput(Consumer<ByteBuf> payloads) {
        this.payloads = payloads;
    }

    @Override
    public boolean emitPayload(ByteBuf payload) {
        payloads.accept(payload);
        return true;
    }

    @Override
    public boolean isWritable() {
        return true;
    }

    @Override
    public ByteBufAllocator allocator() {
        return UnpooledByteBufAllocator.DEFAULT;
    }

    @Override
    public void finish() {
        // There is no direction to end: whoever has made this output ends the connection.
    }

    @Override
    public boolean emit(Packet packet) {
        throw new UnsupportedOperationException("payloads alone");
    }

    @Override
    public boolean emit(ByteBuf packet) {
        throw new UnsupportedOperationException("payloads alone");
    }

    @Override
    public void holdEnd() {
        throw new UnsupportedOperationException("payloads alone");
    }

    @Override
    public void releaseEnd() {
        throw new UnsupportedOperationException("payloads alone");
    }

    @Override
    public void mark(int dscp) {
        throw new UnsupportedOperationException("payloads alone");
    }
}
