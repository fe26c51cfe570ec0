package org.tamanoir.service;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.tamanoir.anep.Packet;

/**
 * Where a handler emits packets, in the direction in which the packet in hand travels. What is emitted goes to the next service of the
 * chain, then to the next hop, before anything that comes later.
 *
 * <p>Valid during the call that handed it over. Back-pressure is the return value: when the way is full a packet is still taken, and
 * the node reads no more of this stream until there is room, so a handler that emits about what it gets need not care; one that makes
 * many packets from one stops at {@code false} and goes on with the next call. Once the end of a direction has gone on nothing can be
 * emitted there: EE-308.
 *
 * <pre>{@code
 * ByteBuf smaller = out.allocator().buffer();
 * codec.encode(packet.payload(), smaller);
 * out.emitPayload(smaller);
 * return Verdict.TAKEN;
 * }</pre>
 */
public interface Output {
    /**
     * Emits a packet as it is; the view stays the caller's, a reference is taken.
     *
     * @return whether the way has room for more
     */
    boolean emit(Packet packet);

    /**
     * Emits a buffer that holds one whole packet, header included. The reference is given away.
     *
     * @return whether the way has room for more
     * @throws org.tamanoir.anep.AnepException EE-308 if it is no packet
     */
    boolean emit(ByteBuf packet);

    /**
     * Emits a payload behind a bare header of this stream. The reference is given away.
     *
     * @param payload at most {@link org.tamanoir.anep.Anep#MAX_PAYLOAD} octets
     * @return whether the way has room for more
     */
    boolean emitPayload(ByteBuf payload);

    /**
     * Called in {@link StreamHandler#onEnd} or {@link StreamHandler#onReturnEnd}: the end of this direction does not go on until
     * {@link #releaseEnd}, so that tasks can emit what is still owed. A stream in which nothing passes ends all the same when the
     * node's idle time is over. A UDP stream is gone after {@code onEnd} whether it holds its end or not.
     *
     * @throws IllegalStateException outside those calls
     */
    void holdEnd();

    /** The end that was held goes on, behind what this call emits. Does nothing if none is held. */
    void releaseEnd();

    /**
     * Ends this direction here, behind what this call emits or lets pass: a service that has answered a request itself ends the way back, and
     * one that has seen enough ends the way on. What still comes in this direction is dropped and shown to no handler, and its own end is
     * not told. With both directions ended the stream is over. Does nothing after the end of the direction.
     *
     * @throws UnsupportedOperationException over UDP, where a direction has no end
     */
    void finish();

    /** Whether the way has room. After false {@link StreamHandler#onWritable} is called when it has. */
    boolean isWritable();

    /**
     * How much waits for the handler of a heavy service in this direction.
     *
     * @return 0, nothing, to 1, so much that the source is made to wait; 0 for other services
     */
    default double waitingInput() {
        return 0;
    }

    /**
     * How much a heavy service has emitted in this direction that has not gone on.
     *
     * @return 0, nothing, to 1, so much that the handler is not called until the receiver has taken it; 0 for other services
     */
    default double waitingOutput() {
        return 0;
    }

    /**
     * Sets the code point (RFC 2474) with which what this handler passes or emits in this direction leaves from now on, in front of what a rule
     * or a service before it has set. On TCP it is the whole connection's: octets that still wait in the socket get it too. Not for heavy
     * services.
     *
     * @param dscp 0 to 63, or -1 to leave it to others again
     * @throws IllegalArgumentException for any other number
     * @throws UnsupportedOperationException in a heavy service
     */
    void mark(int dscp);

    /** Where to take buffers from. */
    ByteBufAllocator allocator();
}
