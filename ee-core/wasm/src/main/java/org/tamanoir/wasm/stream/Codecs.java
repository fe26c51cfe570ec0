package org.tamanoir.wasm.stream;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * Compression for modules, which would take ten times as long for it: from one area of an array into another, so that nothing is left for the collector,
 * and for so few octets that it is no way around the watch.
 */
final class Codecs {
    /** Octets that are compressed, and octets that come of restoring, in one call. */
    static final int MOST = 1 << 17;
    static final int NO_ROOM = -1;
    static final int BAD_DATA = -2;
    private static final int DEFLATE = 0;
    private static final int ZSTD = 1;
    private static final int LEVEL = 1;

    private Codecs() {
    }

    private static boolean overlap(ByteBuffer one, ByteBuffer other) {
        return one.array() == other.array() && one.position() < other.limit() && other.position() < one.limit();
    }

    /**
     * Compresses one part of an array into another.
     *
     * @return octets of the result, or {@link #NO_ROOM}; {@link #BAD_DATA} if there is no such codec, or if the parts overlap
     */
    static int compress(int codec, ByteBuffer from, ByteBuffer into) {
        if (from.remaining() > MOST) {
            return NO_ROOM;
        }
        if (overlap(from, into)) {
            return BAD_DATA;
        }
        if (codec == ZSTD) {
            try {
                return (int) Zstd.compressByteArray(into.array(), into.position(), into.remaining(), from.array(), from.position(), from.remaining(), LEVEL);
            } catch (ZstdException e) {
                return NO_ROOM;
            }
        }
        if (codec != DEFLATE) {
            return BAD_DATA;
        }
        Deflater deflater = new Deflater(LEVEL);
        try {
            deflater.setInput(from);
            deflater.finish();
            int size = deflater.deflate(into);
            return deflater.finished() ? size : NO_ROOM;
        } finally {
            deflater.end();
        }
    }

    /** The same the other way. @return octets of the result, {@link #NO_ROOM} or {@link #BAD_DATA} */
    static int decompress(int codec, ByteBuffer from, ByteBuffer into) {
        if (from.remaining() > MOST) {
            return NO_ROOM;
        }
        if (overlap(from, into)) {
            return BAD_DATA;
        }
        int most = Math.min(into.remaining(), MOST);
        if (codec == ZSTD) {
            try {
                return (int) Zstd.decompressByteArray(into.array(), into.position(), most, from.array(), from.position(), from.remaining());
            } catch (ZstdException e) {
                return e.getErrorCode() == Zstd.errDstSizeTooSmall() ? NO_ROOM : BAD_DATA;
            }
        }
        if (codec != DEFLATE) {
            return BAD_DATA;
        }
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(from);
            int size = inflater.inflate(into.limit(into.position() + most));
            return inflater.finished() ? size : size == most ? NO_ROOM : BAD_DATA;
        } catch (DataFormatException e) {
            return BAD_DATA;
        } finally {
            inflater.end();
        }
    }
}
