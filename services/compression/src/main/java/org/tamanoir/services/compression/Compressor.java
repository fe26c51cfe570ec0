package org.tamanoir.services.compression;

import io.netty.buffer.ByteBuf;
import org.tamanoir.anep.ContentEncoding;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.service.Output;
import org.tamanoir.service.Verdict;

/**
 * The direction of a stream that is compressed here. A packet goes on smaller, with the option content encoding and all the options it
 * had; or as it came.
 */
final class Compressor implements Work {
    private final ContentEncoding encoding;
    private final CodecPool codecs;
    private final int minSize;
    private final Tally tally;
    private final SkipRule skip = new SkipRule();

    /** @param minSize payloads with fewer octets are left */
    Compressor(ContentEncoding encoding, CodecPool codecs, int minSize, Tally tally) {
        this.encoding = encoding;
        this.codecs = codecs;
        this.minSize = minSize;
        this.tally = tally;
    }

    @Override
    public Verdict apply(Packet packet, Output out) {
        int length = packet.payloadLength();
        if (length == 0 || length < minSize || packet.hasOptions() && packet.contentEncoding() != null) {
            return asItIs(Treatment.LEFT, packet);
        }
        if (!skip.tryThis()) {
            return asItIs(Treatment.SKIPPED, packet);
        }
        ByteBuf smaller = encode(packet, length, out);
        if (smaller == null) {
            skip.missed();
            return asItIs(Treatment.LEFT, packet);
        }
        skip.shrunk();
        tally.count(Treatment.COMPRESSED, packet.length(), smaller.readableBytes());
        out.emit(smaller);
        return Verdict.TAKEN;
    }

    private Verdict asItIs(Treatment treatment, Packet packet) {
        tally.count(treatment, packet.length(), packet.length());
        return Verdict.PASS;
    }

    /** The whole packet encoded, or null if it would not be shorter. It has a buffer of its size, so that waiting packets cost no more. */
    private ByteBuf encode(Packet packet, int length, Output out) {
        Codec codec = codecs.take();
        try {
            ByteBuf payload = codec.encode(packet.buffer(), packet.payloadOffset(), length);
            if (payload == null) {
                return null;
            }
            PacketOptions options = packet.hasOptions() ? packet.options() : new PacketOptions();
            ByteBuf encoded = new PacketBuilder(packet.typeId()).flags(packet.flags()).options(options.contentEncoding(encoding, length))
                    .payload(payload).build(out.allocator());
            if (encoded.readableBytes() < packet.length()) {
                return encoded;
            }
            encoded.release();
            return null;
        } finally {
            codecs.give(codec);
        }
    }

    @Override
    public Tally tally() {
        return tally;
    }
}
