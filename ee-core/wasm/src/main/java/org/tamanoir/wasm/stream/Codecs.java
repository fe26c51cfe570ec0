package org.tamanoir.wasm.stream;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** Compression for modules, which would take ten times as long for it. Works on arrays, and for so few octets that it is no way around the watch. */
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

    /** @return octets of the result, or {@link #NO_ROOM}; {@link #BAD_DATA} if there is no such codec */
    static int compress(int codec, byte[] from, byte[] into) {
        if (codec == ZSTD) {
            try {
                return (int) Zstd.compressByteArray(into, 0, into.length, from, 0, from.length, LEVEL);
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

    /** @return octets of the result, {@link #NO_ROOM} or {@link #BAD_DATA} */
    static int decompress(int codec, byte[] from, byte[] into) {
        if (codec == ZSTD) {
            try {
                return (int) Zstd.decompressByteArray(into, 0, into.length, from, 0, from.length);
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
            int size = inflater.inflate(into);
            return inflater.finished() ? size : size == into.length ? NO_ROOM : BAD_DATA;
        } catch (DataFormatException e) {
            return BAD_DATA;
        } finally {
            inflater.end();
        }
    }
}
