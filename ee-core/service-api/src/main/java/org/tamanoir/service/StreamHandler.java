package org.tamanoir.service;

import java.util.Map;
import org.tamanoir.anep.Packet;

/**
 * One service on one stream. Its fields are the state of the stream: every method is called by one thread at a time, in order, so there
 * is nothing to lock.
 *
 * <p>The verdict of a packet says what becomes of it; the {@link Packet} is a view that is valid during the call. Take
 * {@link Packet#retain()} to keep it, and release it when done.
 *
 * <pre>{@code
 * public Verdict onPacket(Packet packet, Output out) {
 *     packets++;
 *     return packet.payloadLength() > limit ? TOO_LONG : Verdict.PASS;     // static final Verdict TOO_LONG = Verdict.drop("too-long")
 * }
 * }</pre>
 *
 * <p>A method that throws ends its stream: with the code of an {@link org.tamanoir.anep.AnepException}, with EE-306 for anything else. One
 * that does not return in the time that the node allows is stopped and ends its stream with EE-307. Other streams go on.
 */
@FunctionalInterface
public interface StreamHandler {
    /** A packet on its way to the destination. */
    Verdict onPacket(Packet packet, Output out) throws Exception;

    /** A packet on its way back to the source; it passes unless this is overridden. */
    default Verdict onReturn(Packet packet, Output out) throws Exception {
        return Verdict.PASS;
    }

    /**
     * The way toward the destination has room again, after {@code emit} or {@code isWritable} has said that it has none: a handler that makes
     * more than it is given goes on here. Never over UDP, where there is always room.
     */
    default void onWritable(Output out) throws Exception {
    }

    /** The same for the way back to the source. */
    default void onReturnWritable(Output out) throws Exception {
    }

    /** The source has finished: emit what is held, or {@link Output#holdEnd}. Packets from the destination may still come. */
    default void onEnd(Output out) throws Exception {
    }

    /** The destination has finished: emit what is held on the way back, or {@link Output#holdEnd}. */
    default void onReturnEnd(Output out) throws Exception {
    }

    /**
     * What the node shows of this stream for this service: names with numbers, texts, lists, or maps of these. Called when somebody asks,
     * on the stream's thread.
     */
    default Map<String, Object> report() {
        return Map.of();
    }

    /**
     * The stream is gone, whatever the reason: release what is held. Its tasks and timers have been discarded, and nothing can be emitted
     * any more. Called once.
     */
    default void close() {
    }
}
