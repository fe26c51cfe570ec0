package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketRun;

/**
 * One step on the way of packets in one direction of a stream: a rule, a service, a writer to a socket. Only steps that do something
 * stand on the way, and each knows the one behind it.
 *
 * <p>A packet is lent during the call, with the buffer that it lies in, the time when it was read and its code point; whoever needs its
 * octets for longer takes a reference. Neighbours in one buffer come one after the other, so a run of them costs one reference.
 */
public abstract class Stage {
    private Stage next;

    /** @param next the step behind this one; null for the last */
    protected Stage(Stage next) {
        this.next = next;
    }

    /** A packet, lent during the call. */
    public abstract void packet(Packet packet);

    /** Several plain packets, lent during the call: one by one, unless a step knows what to do with all of them at once. */
    public void packets(PacketRun run) {
        for (int i = 0; i < run.count(); i++) {
            packet(run.packet(i));
        }
    }

    /**
     * Whether {@link #packets} is worth calling now: this step and those behind it take a run as one piece. None of them may stop the reader
     * in the middle of what it has found.
     */
    public boolean takesRuns() {
        return false;
    }

    /** A packet that this node has made or kept; the reference is given away. */
    public final void give(ByteBuf whole) {
        packet(new Packet().wrap(whole, whole.readerIndex(), whole.readableBytes()).receivedNanos(System.nanoTime()));
        whole.release();
    }

    /** Nothing more comes for the moment: what was gathered goes on. */
    public void flush() {
        next.flush();
    }

    /** Nothing more comes at all. */
    public void end() {
        next.end();
    }

    /** What waits on the connection, and what comes of no packet, has that code point from now on; see {@link Packet#codePoint}. */
    public void mark(int codePoint) {
        next.mark(codePoint);
    }

    /** The step behind this one. */
    public final Stage next() {
        return next;
    }

    /** Puts another step behind this one. */
    public final void next(Stage behind) {
        next = behind;
    }
}
