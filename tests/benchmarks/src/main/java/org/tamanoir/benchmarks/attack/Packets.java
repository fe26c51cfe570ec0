package org.tamanoir.benchmarks.attack;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.anep.PacketOptions.PreviousNode;

/** The packets that attackers send. */
final class Packets {
    /** Type ID of the service monitoring (DESIGN section 3). */
    static final int MONITORING = 0x5402;

    private Packets() {
    }

    /** A packet with all that opens a stream. @param payload octets */
    static ByteBuffer opening(int typeId, InetSocketAddress destination, long stream, int payload) {
        return packet(typeId, options(destination, stream), payload);
    }

    /** The same without payload, of somebody who shows a token. */
    static ByteBuffer opening(int typeId, InetSocketAddress destination, long stream, String token) {
        return packet(typeId, options(destination, stream).token(token), 0);
    }

    private static PacketOptions options(InetSocketAddress destination, long stream) {
        return new PacketOptions().destination(Identifier.of(destination.getAddress())).delivery(destination.getPort(), Delivery.ANEP).stream(stream, 0);
    }

    private static ByteBuffer packet(int typeId, PacketOptions options, int payload) {
        ByteBuf packet = Unpooled.buffer();
        new PacketBuilder(typeId).flags(Anep.FLAG_DISCARD_UNKNOWN).options(options).payload(Unpooled.wrappedBuffer(new byte[payload])).writeTo(packet);
        return packet.nioBuffer();
    }

    /** A datagram with all that nodes on the way write into, so that none of them has to make it anew. @param payload octets */
    static ByteBuffer datagram(InetSocketAddress destination, long stream, int payload) {
        return packet(MONITORING, options(destination, stream).hops(8).previousNode(new PreviousNode(0, 0)), payload);
    }

    /** A packet with a bare header. @param octets header included */
    static ByteBuffer bare(int typeId, int octets) {
        ByteBuffer packet = ByteBuffer.allocateDirect(octets);
        PacketBuilder.setBareHeader(Unpooled.wrappedBuffer(packet), 0, Anep.FLAG_DISCARD_UNKNOWN, typeId, octets - Anep.HEADER_SIZE);
        return packet;
    }
}
