package org.tamanoir.benchmarks.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;

/**
 * The packets of a measured stream, made before it starts. The first carries the options that open a stream at a node; every other has the
 * bare header of eight octets. All are of one length. Their payload depends on their kind and length alone, so that a sink knows what has to
 * arrive.
 */
final class StreamPackets {
    /** Type ID of the monitoring service (DESIGN section 3). */
    static final int TYPE_MONITORING = StreamKind.MONITORING.typeId();
    /** Octets of a block, about: large enough that a write costs little, small enough for a core's second-level cache. */
    static final int BLOCK = 256 * 1024;
    /** The least length that holds the options of a first packet to an IPv6 destination. */
    static final int MIN_PACKET = 64;

    private StreamPackets() {
    }

    /**
     * Whole packets with bare headers, as many as fit {@link #BLOCK} and at least one; a stream repeats the block.
     *
     * @param packet octets of each packet, header included: 64 to 65,535
     * @return a direct buffer from 0 to its limit
     */
    static ByteBuffer block(StreamKind kind, int packet) {
        check(packet);
        int count = Math.max(1, BLOCK / packet);
        ByteBuffer block = ByteBuffer.allocateDirect(count * packet);
        ByteBuf view = Unpooled.wrappedBuffer(block);
        kind.fill(block, new SplittableRandom(packet));
        for (int i = 0; i < count; i++) {
            PacketBuilder.setBareHeader(view, i * packet, Anep.FLAG_DISCARD_UNKNOWN, kind.typeId(), packet - Anep.HEADER_SIZE);
        }
        return block;
    }

    /** The same for {@link StreamKind#MONITORING}. */
    static ByteBuffer block(int packet) {
        return block(StreamKind.MONITORING, packet);
    }

    /**
     * The first packet of a stream, options and payload together of the same length as the others.
     *
     * @param destination where the last node delivers, as ANEP packets
     */
    static ByteBuffer first(StreamKind kind, int packet, InetSocketAddress destination, long streamId) {
        check(packet);
        PacketOptions options = new PacketOptions().destination(Identifier.of(destination.getAddress()))
                .delivery(destination.getPort(), Delivery.ANEP).stream(streamId, 0);
        ByteBuf bare = Unpooled.buffer();
        new PacketBuilder(kind.typeId()).options(options).writeTo(bare);
        ByteBuffer whole = ByteBuffer.allocateDirect(packet);
        new PacketBuilder(kind.typeId()).flags(Anep.FLAG_DISCARD_UNKNOWN).options(options)
                .payload(Unpooled.wrappedBuffer(new byte[packet - bare.readableBytes()])).writeTo(Unpooled.wrappedBuffer(whole).clear());
        return whole;
    }

    /** The same for {@link StreamKind#MONITORING}. */
    static ByteBuffer first(int packet, InetSocketAddress destination, long streamId) {
        return first(StreamKind.MONITORING, packet, destination, streamId);
    }

    /** Octets of a packet's header with its options, from the header itself. */
    static int headerLength(ByteBuffer packet, int at) {
        return (packet.getShort(at + 4) & 0xFFFF) * Anep.WORD;
    }

    /** Octets of a packet, from its header. */
    static int packetLength(ByteBuffer packet, int at) {
        return packet.getShort(at + 6) & 0xFFFF;
    }

    private static void check(int packet) {
        if (packet < MIN_PACKET || packet > Anep.MAX_PACKET) {
            throw new IllegalArgumentException("packets of " + packet + " octets: give " + MIN_PACKET + " to " + Anep.MAX_PACKET);
        }
    }
}
