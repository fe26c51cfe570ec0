package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketRun;

/** A step that takes packets which lie behind one another in one buffer, with one code point, as one piece. */
public abstract class RunStage extends Stage {
    private ByteBuf buffer;
    private int start;
    private int end;
    private long nanos;
    private int codePoint;

    protected RunStage(Stage next) {
        super(next);
    }

    @Override
    public final void packet(Packet packet) {
        gather(packet, packet.length());
    }

    @Override
    public final void packets(PacketRun packets) {
        gather(packets.first(), packets.length());
    }

    @Override
    public final boolean takesRuns() {
        return true;
    }

    /** @param length octets from the packet on */
    private void gather(Packet packet, int length) {
        if (packet.buffer() != buffer || packet.offset() != end || packet.codePoint() != codePoint) {
            close();
            buffer = packet.buffer().retain();
            start = packet.offset();
            nanos = packet.receivedNanos();
            codePoint = packet.codePoint();
        }
        end = packet.offset() + length;
    }

    /** Ends the run that is being gathered, if there is one. */
    protected final void close() {
        if (buffer != null) {
            ByteBuf whole = buffer;
            buffer = null;
            run(whole.slice(start, end - start), nanos, codePoint);
        }
    }

    /**
     * One or more whole packets.
     *
     * @param packets   with a reference that is given away
     * @param nanos     when the first of them was read
     * @param codePoint of all of them
     */
    protected abstract void run(ByteBuf packets, long nanos, int codePoint);

    @Override
    public void flush() {
        close();
    }
}
