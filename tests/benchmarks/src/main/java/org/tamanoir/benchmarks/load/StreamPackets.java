package org.tamanoir.benchmarks.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
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
public final class StreamPackets {
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
    public static ByteBuffer block(StreamKind kind, int packet) {
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
     * A packet that opens a stream.
     *
     * @param destination where the last node delivers
     * @param payload     octets of it, which are zeros
     */
    public static ByteBuffer opening(int typeId, int flags, InetSocketAddress destination, Delivery delivery, long streamId, int payload) {
        ByteBuf packet = Unpooled.buffer();
        PacketOptions options = new PacketOptions().destination(Identifier.of(destination.getAddress()))
                .delivery(destination.getPort(), delivery).stream(streamId, 0);
        new PacketBuilder(typeId).flags(flags).options(options).payload(Unpooled.wrappedBuffer(new byte[payload])).writeTo(packet);
        return packet.nioBuffer();
    }

    /** The first packet of a stream that is delivered as packets; options and payload are together of the length of the others. */
    public static ByteBuffer first(StreamKind kind, int packet, InetSocketAddress destination, long streamId) {
        check(packet);
        int header = opening(kind.typeId(), Anep.FLAG_DISCARD_UNKNOWN, destination, Delivery.ANEP, streamId, 0).remaining();
        return opening(kind.typeId(), Anep.FLAG_DISCARD_UNKNOWN, destination, Delivery.ANEP, streamId, packet - header);
    }

    /** Writes all of a buffer. @return octets written */
    public static int writeFully(SocketChannel channel, ByteBuffer buffer) throws IOException {
        int length = buffer.remaining();
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
        return length;
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
