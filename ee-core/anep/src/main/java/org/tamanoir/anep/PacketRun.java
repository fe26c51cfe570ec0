package org.tamanoir.anep;

import io.netty.buffer.ByteBuf;

/**
 * Packets that lie behind one another in one buffer: a single one of any kind, or several plain ones. Plain packets have no options, the same
 * flags and the same Type ID, and neither report errors nor are between neighbours; so what is true of the first of them is true of all, and
 * steps can treat them as one piece. Like {@link Packet} a view, valid while it is lent.
 *
 * <p>About 1 KB: made once and used again and again.
 */
public final class PacketRun {
    /** Packets in one run at most. */
    public static final int MOST_PACKETS = 256;
    /** Octets in a run of more than one packet at most. */
    public static final int MOST_OCTETS = 32 * 1024;

    private final Packet first = new Packet();
    private final Packet view = new Packet();
    /** Where each packet ends, in octets from the beginning of the first. */
    private final int[] ends = new int[MOST_PACKETS];
    private int count;
    private boolean uniform;

    /**
     * Moves to what begins at an offset: as many plain packets as there are, or one packet.
     *
     * @param end  where the octets end that may be read
     * @param most packets, 1 to {@link #MOST_PACKETS}
     * @return octets, or {@link Framing#INCOMPLETE} if there is no whole packet
     * @throws MalformedPacketException if what begins there is no packet
     */
    public int find(ByteBuf buffer, int from, int end, int most) {
        count = 0;
        int length = Framing.packetLength(buffer, from, end - from);
        if (length == Framing.INCOMPLETE) {
            return length;
        }
        first.wrap(buffer, from, length);
        ends[count++] = length;
        uniform = !first.hasOptions() && first.typeId() != Anep.TYPE_ERROR && !first.isControl();
        if (uniform && most > 1) {
            findLike(buffer, from, Math.min(end - from, MOST_OCTETS), most);
        }
        return length();
    }

    private void findLike(ByteBuf buffer, int from, int octets, int most) {
        long header = buffer.getLong(from);
        int same = ends[0];
        int at = same;
        while (count < most && octets - at >= Anep.HEADER_SIZE) {
            long next = buffer.getLong(from + at);
            if (next == header && same <= octets - at) {
                // Nothing that is added here has just been loaded: the processor looks for the next header while it waits for this one.
                at += same;
            } else {
                int length = Anep.packetLength(next);
                if (Anep.kind(next) != Anep.kind(header) || length < Anep.HEADER_SIZE || length > octets - at) {
                    return;
                }
                uniform = false;
                at += length;
            }
            ends[count++] = at;
        }
    }

    /** Sets when the packets were read and with which code point they are to leave; see {@link Packet#receivedNanos} and {@link Packet#codePoint}. */
    public PacketRun of(long receivedNanos, int codePoint) {
        first.receivedNanos(receivedNanos).codePoint(codePoint);
        return this;
    }

    /** 1 to {@link #MOST_PACKETS}. */
    public int count() {
        return count;
    }

    /** The first packet. Its {@linkplain Packet#codePoint code point} and time are those of all. */
    public Packet first() {
        return first;
    }

    /** Octets of all packets. */
    public int length() {
        return ends[count - 1];
    }

    /** Whether the packets are plain and of one length. */
    public boolean isUniform() {
        return uniform;
    }

    /** Moves a view to the packet at an index, 0 to {@link #count()} - 1. @return the view */
    public Packet packet(int index, Packet moved) {
        int begin = index == 0 ? 0 : ends[index - 1];
        return moved.wrap(first.buffer(), first.offset() + begin, ends[index] - begin).receivedNanos(first.receivedNanos()).codePoint(first.codePoint());
    }

    /** The packet at an index; the next call moves the view. */
    public Packet packet(int index) {
        return packet(index, view);
    }
}
