package org.tamanoir.dyram.wire;

import java.net.Inet4Address;
import java.net.InetSocketAddress;

/**
 * What everybody has to know of a session before its first packet.
 *
 * @param group      where its packets go when they travel by IP multicast; also the name under which receivers look for it
 * @param first      sequence number of the first packet; later ones count on from it modulo 2^64
 * @param packets    how many packets there are, 1 to 2^40
 * @param packetSize octets of content in every packet but the last, 1 to {@link #MOST_PACKET}
 * @param rate       bits a second on the wire that the source means to send at most
 * @param started    whether it has begun
 * @param salt       a random number from which the session's key is made
 * @param services   what nodes are to do for it, as far as their operators allow
 */
public record SessionTerms(InetSocketAddress group, long first, long packets, int packetSize, long rate, boolean started, long salt,
                           ServiceChoice services) {
    /** Content of a packet: what fits a UDP datagram over IPv6 with all headers. */
    public static final int MOST_PACKET = 65_000;
    public static final long MOST_PACKETS = 1L << 40;

    public SessionTerms {
        if (packets < 1 || packets > MOST_PACKETS || packetSize < 1 || packetSize > MOST_PACKET || rate < 0) {
            throw new IllegalArgumentException(packets + " packets of " + packetSize + " octets at " + rate + " bit/s");
        }
        // Whoever announces a session makes nodes send to its group: never to somebody's own address, nor to what routers use.
        if (!group.getAddress().isMulticastAddress() || group.getPort() == 0
                || group.getAddress() instanceof Inet4Address && group.getAddress().isMCLinkLocal()) {
            throw new IllegalArgumentException(group + " is no group that sessions may have");
        }
    }

    /** Terms of a session that asks for every service. */
    public SessionTerms(InetSocketAddress group, long first, long packets, int packetSize, long rate, boolean started, long salt) {
        this(group, first, packets, packetSize, rate, started, salt, ServiceChoice.ALL);
    }

    /** Which packet a sequence number is, from 0; outside 0 to {@link #packets} - 1 it is none of this session. */
    public long index(long sequence) {
        return sequence - first;
    }

    /** The sequence number of a packet. */
    public long sequence(long index) {
        return first + index;
    }

    /** Whether a sequence number is one of this session. */
    public boolean contains(long sequence) {
        long index = index(sequence);
        return index >= 0 && index < packets;
    }

    /** Whether all packets of a range are of this session. */
    public boolean contains(Losses.Range range) {
        long index = index(range.first());
        return index >= 0 && index < packets && range.count() <= packets - index;
    }

    /** What becomes of a missing packet. */
    public interface Each {
        void packet(long index, int rank);
    }

    /**
     * Takes every packet of losses.
     *
     * @return how many ranges are not of this session: they are left out
     */
    public int each(Losses losses, Each each) {
        int others = 0;
        for (Losses.Range range : losses.ranges()) {
            if (!contains(range)) {
                others++;
                continue;
            }
            long begin = index(range.first());
            for (int i = 0; i < range.count(); i++) {
                each.packet(begin + i, range.rank());
            }
        }
        return others;
    }

    public SessionTerms started(boolean now) {
        return new SessionTerms(group, first, packets, packetSize, rate, now, salt, services);
    }
}
