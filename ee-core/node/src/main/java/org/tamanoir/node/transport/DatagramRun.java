package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.unix.SegmentedDatagramPacket;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

/**
 * Neighbouring datagrams of one socket to one recipient, laid one behind the other so that the system takes them in one call and cuts them
 * apart as late as it can (UDP_SEGMENT, Linux 4.18). All have the length of the first; a shorter one ends the run. Copying a datagram of a
 * packet's usual size costs less than a tenth of what sending it alone costs.
 */
final class DatagramRun {
    /** What one call takes: UDP_MAX_SEGMENTS of older kernels, and the payload of a UDP datagram, rounded down. */
    private static final int MOST_DATAGRAMS = 64;
    private static final int MOST_OCTETS = 65_000;
    /** Octets of the longest datagram that may fit a link as a whole: longer ones are for fragments, and the system refuses to cut these. */
    static final int LONGEST = 9_000;
    /** How long no run is tried for a recipient after one was refused, and for how many recipients that is remembered. */
    private static final long REFUSED_NANOS = 10_000_000_000L;
    private static final int MOST_REFUSED = 256;

    private final LoopMemory memory;
    private ByteBuf buffer;
    private InetSocketAddress to;
    private int begin;
    private int length;
    private int count;
    private boolean ended;
    /** To whom the system has refused to send runs, and since when one of them. */
    private final Set<InetSocketAddress> refused = new HashSet<>();
    private long refusedSince;

    DatagramRun(LoopMemory memory) {
        this.memory = memory;
    }

    static boolean isSupported(Channel channel) {
        return channel instanceof EpollDatagramChannel && EpollDatagramChannel.isSegmentedDatagramPacketSupported();
    }

    /** Whether a datagram of so many octets for this recipient may be part of any run. */
    boolean mayHave(int octets, InetSocketAddress recipient) {
        return octets > 0 && octets <= LONGEST && (refused.isEmpty() || !isRefused(recipient));
    }

    private boolean isRefused(InetSocketAddress recipient) {
        if (System.nanoTime() - refusedSince > REFUSED_NANOS) {
            refused.clear();
        }
        return refused.contains(recipient);
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Whether a datagram for this recipient, null on a connected socket, may be the next of this run. */
    boolean continues(int octets, InetSocketAddress recipient) {
        return count > 0 && !ended && octets <= length && count < MOST_DATAGRAMS && count * length + octets <= MOST_OCTETS
                && Objects.equals(to, recipient);
    }

    /** Lays a copy of a datagram behind those that are there; the first one of a run says how long all are, and who gets them. */
    void add(ByteBuf datagram, InetSocketAddress recipient) {
        int octets = datagram.readableBytes();
        if (count == 0) {
            if (buffer == null || buffer.writableBytes() < MOST_OCTETS) {
                letGo();
                buffer = memory.take();
            }
            to = recipient;
            begin = buffer.writerIndex();
            length = octets;
        }
        buffer.writeBytes(datagram, datagram.readerIndex(), octets);
        ended = octets < length;
        count++;
    }

    /** The run as a message for its socket; the next datagram begins another one. */
    Object end(InetSocketAddress local) {
        ByteBuf octets = buffer.retainedSlice(begin, buffer.writerIndex() - begin);
        boolean several = count > 1;
        count = 0;
        if (several) {
            return new SegmentedDatagramPacket(octets, length, to, local);
        }
        return to == null ? octets : new DatagramPacket(octets, to);
    }

    /** Everything that was ended has been flushed. */
    void letGo() {
        if (buffer != null) {
            memory.give(buffer);
            buffer = null;
        }
    }

    /**
     * The system does not cut datagrams for a recipient: they are too long for its links, or a driver on the way is too old. For a while
     * they go one by one; others are not concerned.
     */
    void refused(InetSocketAddress recipient) {
        if (refused.isEmpty() || refused.size() >= MOST_REFUSED) {
            refused.clear();
            refusedSince = System.nanoTime();
        }
        refused.add(recipient);
    }
}
