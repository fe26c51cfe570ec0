package org.tamanoir.node.offload;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import org.tamanoir.anep.Packet;

/** What rules look at in a packet. One for each event loop, filled anew for each packet. */
public final class PacketFacts {
    int typeId;
    boolean hasDestination;
    long destinationHigh;
    long destinationLow;
    long sourceHigh;
    long sourceLow;
    long session;
    private InetAddress source;

    /**
     * Reads a packet whose options are good.
     *
     * @param from the address that it came from
     */
    public PacketFacts read(Packet packet, InetAddress from) {
        typeId = packet.typeId();
        hasDestination = packet.hasDestination();
        destinationHigh = hasDestination ? packet.destinationHigh() : 0;
        destinationLow = hasDestination ? packet.destinationLow() : 0;
        session = packet.qosSession();
        if (from != source) {
            byte[] address = from.getAddress();
            sourceHigh = Addresses.high(address);
            sourceLow = Addresses.low(address);
            source = from;
        }
        return this;
    }

    /** Addresses as 128-bit numbers in two longs, IPv4 mapped into IPv6 (RFC 4291 section 2.5.5.2): one kind of comparison for both. */
    static final class Addresses {
        /** Bits before an IPv4 address that is mapped. */
        static final int MAPPED_BITS = 96;
        private static final long MAPPED = 0xFFFF_0000_0000L;

        private Addresses() {
        }

        /** The first 64 bits. */
        static long high(byte[] address) {
            return address.length == 4 ? 0 : ByteBuffer.wrap(address).getLong();
        }

        /** The last 64 bits. */
        static long low(byte[] address) {
            return address.length == 4 ? MAPPED | ByteBuffer.wrap(address).getInt() & 0xFFFF_FFFFL : ByteBuffer.wrap(address).getLong(8);
        }

        /** Bits of a mapped prefix: 0 to 128. */
        static int bits(InetAddress network, int length) {
            return network.getAddress().length == 4 ? MAPPED_BITS + length : length;
        }

        /** The mask of the first 64 bits of a prefix. */
        static long highMask(int bits) {
            return bits >= 64 ? -1 : bits == 0 ? 0 : -1L << 64 - bits;
        }

        /** The mask of the last 64 bits. */
        static long lowMask(int bits) {
            return bits <= 64 ? 0 : bits == 128 ? -1 : -1L << 128 - bits;
        }
    }
}
