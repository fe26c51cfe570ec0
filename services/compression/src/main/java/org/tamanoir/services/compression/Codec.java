package org.tamanoir.services.compression;

import io.netty.buffer.ByteBuf;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Encodes and restores single payloads; nothing is remembered from one to the next. Holds native memory until {@link #close()}, and is
 * used by one thread at a time.
 */
interface Codec extends AutoCloseable {
    /**
     * Encodes {@code length} octets of {@code source} from {@code at} on, which stay as they are.
     *
     * @param length 1 to 65,535
     * @param level  zstd −7 to 22, gzip 1 to 9
     * @return the encoded octets in the codec's own memory, valid until its next call; or null if they would not be fewer
     */
    ByteBuf encode(ByteBuf source, int at, int length, int level);

    /**
     * Restores what {@link #encode} made, at the writer index of a direct buffer with room for it, and moves that index.
     *
     * @param original how many octets it must become, 0 to 65,535: no more is ever written
     * @throws org.tamanoir.anep.AnepException EE-109 if the source is not the encoding of that many octets
     */
    void restore(ByteBuf source, int at, int length, ByteBuf target, int original);

    @Override
    void close();

    /** A payload that cannot be restored: EE-109. Comes from the wire, maybe at line rate, so it takes no stack trace. */
    final class BadContent extends AnepException {
        BadContent(String message) {
            super(ErrorCode.BAD_CONTENT, message);
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }
}
