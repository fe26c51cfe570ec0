package org.tamanoir.services.transcode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Finds packets and key frames in an MPEG transport stream (ISO/IEC 13818-1), however its octets are cut. No I/O.
 *
 * <p>What it gives are runs of whole packets. A picture at which a decoder can begin, which the multiplexer marks by {@code random_access_indicator} in the first packet of
 * the picture, begins a run. Behind the last tables (PAT and PMT) such a run is a stream of its own.
 */
final class TransportStream {
    static final int PACKET = 188;
    /** Octets of a run at most, so that one fits into an ANEP packet with the tables. */
    static final int MOST_RUN = 170 * PACKET;
    /** Octets outside of packets, beyond those in packets, after which it is no transport stream: other octets look like packets now and then. */
    static final int MOST_NOISE = 256 * PACKET;
    private static final byte SYNC = 0x47;
    private static final int PAT_PID = 0;
    private static final int NONE = -1;
    private static final int PROGRAM_LENGTH = 4;
    private static final int CRC_LENGTH = 4;

    /** Gets what is found. */
    interface Sink {
        /**
         * Whole packets.
         *
         * @param packets lent for the call; at most {@link #MOST_RUN} octets
         * @param key     whether a picture begins with them at which a decoder can begin
         */
        void run(ByteBuf packets, boolean key);
    }

    private final byte[] part = new byte[PACKET];
    private int partLength;
    private byte[] pat;
    private byte[] pmt;
    private int pmtPid = NONE;
    private int videoPid = NONE;
    private long noise;
    private long skipped;

    /**
     * Takes the octets that come next.
     *
     * @param octets read to their end
     * @throws AnepException EE-109 if more than {@link #MOST_NOISE} octets lie outside of packets
     */
    void take(ByteBuf octets, Sink sink) {
        if (partLength > 0 && !complete(octets, sink)) {
            return;
        }
        int begin = octets.readerIndex();
        int at = begin;
        boolean key = false;
        while (octets.writerIndex() - at >= PACKET) {
            if (octets.getByte(at) != SYNC) {
                give(octets, begin, at, key, sink);
                at = begin = skip(octets, at);
                key = false;
                continue;
            }
            noise = Math.max(0, noise - PACKET);
            boolean begins = look(octets, at);
            if (begins || at - begin >= MOST_RUN) {
                give(octets, begin, at, key, sink);
                begin = at;
                key = begins;
            }
            at += PACKET;
        }
        give(octets, begin, at, key, sink);
        if (octets.writerIndex() > at && octets.getByte(at) != SYNC) {
            at = skip(octets, at);
        }
        partLength = octets.writerIndex() - at;
        octets.getBytes(at, part, 0, partLength);
        octets.readerIndex(octets.writerIndex());
    }

    /** Fills the packet of which a part has come; false if more has to come, or to be looked at again. */
    private boolean complete(ByteBuf octets, Sink sink) {
        int length = Math.min(PACKET - partLength, octets.readableBytes());
        octets.readBytes(part, partLength, length);
        partLength += length;
        if (partLength < PACKET) {
            return false;
        }
        partLength = 0;
        noise = Math.max(0, noise - PACKET);
        ByteBuf packet = Unpooled.wrappedBuffer(part.clone());
        sink.run(packet, look(packet, 0));
        return true;
    }

    private static void give(ByteBuf octets, int from, int to, boolean key, Sink sink) {
        if (to > from) {
            sink.run(octets.slice(from, to - from), key);
        }
    }

    /** The next octet that may begin a packet. */
    private int skip(ByteBuf octets, int at) {
        int next = octets.indexOf(at + 1, octets.writerIndex(), SYNC);
        int found = next < 0 ? octets.writerIndex() : next;
        noise += found - at;
        skipped += found - at;
        if (noise > MOST_NOISE) {
            throw new AnepException(ErrorCode.BAD_CONTENT, "this is no MPEG transport stream: so much of it lies outside of packets");
        }
        return found;
    }

    /** Looks at one packet. @return whether a picture begins in it at which a decoder can begin */
    private boolean look(ByteBuf in, int at) {
        int pid = in.getUnsignedShort(at + 1) & 0x1FFF;
        boolean starts = (in.getByte(at + 1) & 0x40) != 0;
        boolean adapts = (in.getByte(at + 3) & 0x20) != 0;
        boolean carries = (in.getByte(at + 3) & 0x10) != 0;
        int adaptation = adapts ? in.getUnsignedByte(at + 4) : 0;
        if (starts && carries && (pid == PAT_PID || pid == pmtPid)) {
            table(in, at, pid, adapts ? 5 + adaptation : 4);
        }
        return pid == videoPid && starts && adaptation > 0 && (in.getByte(at + 5) & 0x40) != 0;
    }

    /** A table that begins in this packet, if all of it is there: those of one program are. */
    private void table(ByteBuf in, int at, int pid, int payload) {
        if (payload >= PACKET) {
            return;
        }
        int section = payload + 1 + in.getUnsignedByte(at + payload);
        if (section + 3 > PACKET) {
            return;
        }
        int length = in.getUnsignedShort(at + section + 1) & 0x0FFF;
        int end = section + 3 + length - CRC_LENGTH;
        if (end + CRC_LENGTH > PACKET) {
            return;
        }
        if (pid == PAT_PID) {
            programs(in, at, section, end);
        } else {
            streams(in, at, section, end);
        }
    }

    private void programs(ByteBuf in, int at, int section, int end) {
        for (int each = section + 8; each + PROGRAM_LENGTH <= end; each += PROGRAM_LENGTH) {
            // Program 0 is the network's.
            if (in.getUnsignedShort(at + each) != 0) {
                int found = in.getUnsignedShort(at + each + 2) & 0x1FFF;
                if (found != pmtPid) {
                    pmtPid = found;
                    pmt = null;
                    videoPid = NONE;
                }
                pat = copy(in, at);
                return;
            }
        }
    }

    private void streams(ByteBuf in, int at, int section, int end) {
        if (section + 12 > end) {
            return;
        }
        int each = section + 12 + (in.getUnsignedShort(at + section + 10) & 0x0FFF);
        while (each + 5 <= end) {
            if (isVideo(in.getUnsignedByte(at + each))) {
                videoPid = in.getUnsignedShort(at + each + 1) & 0x1FFF;
                pmt = copy(in, at);
                return;
            }
            each += 5 + (in.getUnsignedShort(at + each + 3) & 0x0FFF);
        }
    }

    /** Stream types of ISO/IEC 13818-1, table 2-34: MPEG-1, MPEG-2, MPEG-4, H.264, H.265. */
    private static boolean isVideo(int type) {
        return type == 0x01 || type == 0x02 || type == 0x10 || type == 0x1B || type == 0x24;
    }

    private static byte[] copy(ByteBuf in, int at) {
        byte[] packet = new byte[PACKET];
        in.getBytes(at, packet);
        return packet;
    }

    /** The last tables, PAT and PMT, that whoever begins at a key frame has to see first; empty while none have come. */
    byte[] tables() {
        if (pat == null || pmt == null) {
            return new byte[0];
        }
        byte[] both = new byte[2 * PACKET];
        System.arraycopy(pat, 0, both, 0, PACKET);
        System.arraycopy(pmt, 0, both, PACKET, PACKET);
        return both;
    }

    /** Octets that belonged to no packet. */
    long skipped() {
        return skipped;
    }
}
