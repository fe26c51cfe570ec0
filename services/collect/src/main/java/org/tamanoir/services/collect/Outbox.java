package org.tamanoir.services.collect;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;
import org.tamanoir.collective.Frame;
import org.tamanoir.collective.Frames;

/** Frames that wait for a neighbour. Safe for threads. */
final class Outbox {
    /** Octets that wait from which a neighbour is full, and at which it is not any more. */
    static final int HIGH = 1 << 20;
    private static final int LOW = HIGH / 2;
    /** Octets of one packet, unless one frame is longer. */
    private static final int PACKET = 60_000;

    private final Deque<Frame> frames = new ArrayDeque<>();
    private long octets;
    private boolean full;

    /** @return whether it is full now and was not before */
    synchronized boolean add(Frame frame) {
        frames.add(frame);
        octets += Frames.length(frame);
        boolean before = full;
        full |= octets >= HIGH;
        return full && !before;
    }

    synchronized boolean isEmpty() {
        return frames.isEmpty();
    }

    /** Writes the frames of one packet. @return whether it is not full any more and was before */
    synchronized boolean write(ByteBuf packet) {
        while (!frames.isEmpty() && (packet.readableBytes() == 0 || packet.readableBytes() + Frames.length(frames.peek()) <= PACKET)) {
            Frame frame = frames.poll();
            octets -= Frames.length(frame);
            Frames.write(frame, packet);
        }
        if (full && octets <= LOW) {
            full = false;
            return true;
        }
        return false;
    }

    synchronized void clear() {
        frames.clear();
        octets = 0;
        full = false;
    }
}
