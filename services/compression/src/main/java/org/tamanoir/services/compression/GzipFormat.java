package org.tamanoir.services.compression;

import java.nio.ByteBuffer;
import org.tamanoir.services.compression.Codec.BadContent;

/** The header and trailer around deflated octets: RFC 1952 section 2.3. Numbers are little-endian. */
final class GzipFormat {
    /** CRC-32 and length of the content. */
    static final int TRAILER = 8;
    private static final int HEADER = 10;
    /** No member is shorter: header, an empty block of two octets, trailer. */
    static final int LEAST = HEADER + 2 + TRAILER;

    private static final short MAGIC = (short) 0x8B1F;
    private static final byte DEFLATE = 8;
    private static final byte UNKNOWN_SYSTEM = (byte) 255;
    private static final int HEADER_CRC = 0x02;
    private static final int EXTRA = 0x04;
    private static final int NAME = 0x08;
    private static final int COMMENT = 0x10;
    private static final int RESERVED = 0xE0;

    private GzipFormat() {
    }

    /** The shortest header: no name, no time. */
    static void writeHeader(ByteBuffer out) {
        out.putShort(MAGIC).put(DEFLATE).put((byte) 0).putInt(0).put((byte) 0).put(UNKNOWN_SYSTEM);
    }

    /** Moves to the deflated octets, over the optional fields that another implementation may have written. */
    static void skipHeader(ByteBuffer in) {
        if (in.remaining() < LEAST || in.getShort() != MAGIC || in.get() != DEFLATE) {
            throw new BadContent("no gzip header");
        }
        int flags = in.get();
        if ((flags & RESERVED) != 0) {
            throw new BadContent("a gzip header with reserved flags");
        }
        skip(in, HEADER - 4);
        if ((flags & EXTRA) != 0) {
            skip(in, 2);
            skip(in, Short.toUnsignedInt(in.getShort(in.position() - 2)));
        }
        if ((flags & NAME) != 0) {
            skipText(in);
        }
        if ((flags & COMMENT) != 0) {
            skipText(in);
        }
        if ((flags & HEADER_CRC) != 0) {
            skip(in, 2);
        }
    }

    private static void skip(ByteBuffer in, int octets) {
        if (in.remaining() < octets) {
            throw new BadContent("a gzip header that is cut off");
        }
        in.position(in.position() + octets);
    }

    private static void skipText(ByteBuffer in) {
        while (in.hasRemaining()) {
            if (in.get() == 0) {
                return;
            }
        }
        throw new BadContent("a gzip header that is cut off");
    }
}
