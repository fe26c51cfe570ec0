package org.tamanoir.services.compression;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Map;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.ContentEncoding;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.service.Output;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;
import org.tamanoir.services.compression.Codec.BadContent;
import org.tamanoir.services.compression.DirectionCounters.Treatment;

/**
 * The direction of a stream that is restored here, each packet by the encoding that it names. A payload never becomes more than the
 * announced length, which a packet can hold.
 *
 * <p>What cannot be restored ends a TCP stream with EE-109, because something would be missing in it; a UDP packet stands alone and is
 * dropped.
 */
final class Restorer implements DirectionCodec {
    private static final Verdict BAD_CONTENT = Verdict.drop("bad-content");
    /** Octets of the option content encoding, tag and length included. */
    private static final int OPTION = 8;

    private final Map<ContentEncoding, CodecPool> codecs;
    private final Transport transport;
    private final DirectionCounters tally;

    Restorer(Map<ContentEncoding, CodecPool> codecs, Transport transport, DirectionCounters tally) {
        this.codecs = codecs;
        this.transport = transport;
        this.tally = tally;
    }

    @Override
    public Verdict apply(Packet packet, Output out) {
        ContentEncoding encoding = packet.hasOptions() ? packet.contentEncoding() : null;
        if (encoding == null || encoding == ContentEncoding.JOINED) {
            // Joined packets are not encoded each, and coalesce takes them apart.
            tally.count(Treatment.LEFT, packet.length(), packet.length());
            return Verdict.PASS;
        }
        ByteBuf restored;
        try {
            restored = restore(packet, encoding, out.allocator());
        } catch (BadContent e) {
            tally.count(Treatment.FAILED, packet.length(), 0);
            if (transport == Transport.UDP) {
                return BAD_CONTENT;
            }
            throw e;
        }
        tally.count(Treatment.RESTORED, packet.length(), restored.readableBytes());
        out.emit(restored);
        return Verdict.TAKEN;
    }

    private ByteBuf restore(Packet packet, ContentEncoding encoding, ByteBufAllocator allocator) {
        CodecPool pool = codecs.get(encoding);
        if (pool == null) {
            throw new BadContent("this node cannot restore " + encoding);
        }
        int original = packet.originalLength();
        int header = packet.headerLength() - OPTION;
        if (header + original > Anep.MAX_PACKET) {
            throw new BadContent("content of " + original + " octets does not fit into a packet");
        }
        boolean bare = header == Anep.HEADER_SIZE;
        int start = bare ? Anep.HEADER_SIZE : 0;
        ByteBuf target = allocator.directBuffer(start + original).writerIndex(start);
        Codec codec = pool.take();
        try {
            codec.restore(packet.buffer(), packet.payloadOffset(), packet.payloadLength(), target, original);
            if (bare) {
                PacketBuilder.setBareHeader(target, 0, packet.flags(), packet.typeId(), original);
                return target.retain();
            }
            return new PacketBuilder(packet.typeId()).flags(packet.flags()).options(packet.options().contentEncoding(null, 0))
                    .payload(target).build(allocator);
        } finally {
            pool.give(codec);
            target.release();
        }
    }

    @Override
    public DirectionCounters tally() {
        return tally;
    }
}
