package org.tamanoir.services.compression;

import io.netty.buffer.ByteBuf;
import org.tamanoir.anep.ContentEncoding;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.service.Output;
import org.tamanoir.service.Verdict;
import org.tamanoir.services.compression.DirectionCounters.Treatment;

/**
 * The direction of a stream that is compressed here. A packet goes on smaller, with the option content encoding and all the options it
 * had; or as it came.
 */
final class Compressor implements DirectionCodec {
    /** Octets after which to look again at what waits: often enough, and not for each small packet. */
    private static final int LOOK = 32 * 1024;

    private final ContentEncoding encoding;
    private final CodecPool codecs;
    private final int minSize;
    private final DirectionCounters tally;
    private final SkipRule skip = new SkipRule();
    private final LevelChoice levels;
    private int unseen;

    /** @param minSize payloads with fewer octets are left */
    Compressor(ContentEncoding encoding, CodecPool codecs, int minSize, LevelChoice levels, DirectionCounters tally) {
        this.encoding = encoding;
        this.codecs = codecs;
        this.minSize = minSize;
        this.levels = levels;
        this.tally = tally;
    }

    @Override
    public Verdict apply(Packet packet, Output out) {
        look(packet.length(), out);
        int length = packet.payloadLength();
        if (length == 0 || length < minSize || packet.hasOptions() && packet.contentEncoding() != null) {
            return asItIs(Treatment.LEFT, packet);
        }
        if (levels.isStored() || !skip.tryThis()) {
            return asItIs(Treatment.SKIPPED, packet);
        }
        long begin = System.nanoTime();
        ByteBuf smaller = encode(packet, length, out);
        levels.worked(System.nanoTime() - begin);
        if (smaller == null) {
            skip.missed();
            return asItIs(Treatment.LEFT, packet);
        }
        skip.shrunk();
        tally.count(Treatment.COMPRESSED, packet.length(), smaller.readableBytes());
        out.emit(smaller);
        return Verdict.TAKEN;
    }

    private void look(int octets, Output out) {
        unseen += octets;
        if (unseen >= LOOK) {
            levels.look(System.nanoTime(), unseen, out.waitingInput(), out.waitingOutput());
            unseen = 0;
        }
    }

    private Verdict asItIs(Treatment treatment, Packet packet) {
        tally.count(treatment, packet.length(), packet.length());
        return Verdict.PASS;
    }

    /** The whole packet encoded, or null if it would not be shorter. It has a buffer of its size, so that waiting packets cost no more. */
    private ByteBuf encode(Packet packet, int length, Output out) {
        Codec codec = codecs.take();
        try {
            ByteBuf payload = codec.encode(packet.buffer(), packet.payloadOffset(), length, levels.level());
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
    public String level() {
        return levels.toString();
    }

    @Override
    public DirectionCounters tally() {
        return tally;
    }

    /**
     * When to try at all. After {@value #PATIENCE} packets in a row that did not shrink, only every second packet is tried, then every
     * fourth, and so on to every {@value #RAREST}th; one that shrinks ends the restraint. So data that does not compress costs a 64th of the
     * work, and data that begins to compress is noticed within {@value #RAREST} packets.
     */
    static final class SkipRule {
        static final int PATIENCE = 4;
        static final int RAREST = 64;

        private int misses;
        private int every = 1;
        private int untilNext;

        /** Whether to try the packet at hand; call {@link #shrunk} or {@link #missed} after each try. */
        boolean tryThis() {
            if (untilNext > 0) {
                untilNext--;
                return false;
            }
            return true;
        }

        void shrunk() {
            misses = 0;
            every = 1;
        }

        void missed() {
            misses++;
            if (misses >= PATIENCE) {
                every = Math.min(2 * every, RAREST);
                untilNext = every - 1;
            }
        }
    }
}
