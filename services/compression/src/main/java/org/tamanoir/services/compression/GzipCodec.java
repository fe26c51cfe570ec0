package org.tamanoir.services.compression;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.tamanoir.anep.Anep;
import org.tamanoir.services.compression.Codec.BadContent;

/**
 * One gzip member (RFC 1952) a payload, by the JDK's zlib. The deflater holds 0.26 MB of native memory, the inflater 0.04 MB; each is
 * made when it is first needed.
 */
final class GzipCodec implements Codec {
    private final CRC32 crc = new CRC32();
    private Deflater deflater;
    private Inflater inflater;
    private ByteBuf encoded;
    private ByteBuffer encodedNio;

    @Override
    public ByteBuf encode(ByteBuf source, int at, int length, int level) {
        if (deflater == null) {
            deflater = new Deflater(level, true);
            encoded = Unpooled.directBuffer(Anep.MAX_PACKET);
            encodedNio = encoded.nioBuffer(0, encoded.capacity()).order(ByteOrder.LITTLE_ENDIAN);
        }
        if (length <= GzipFormat.LEAST) {
            return null;
        }
        ByteBuffer in = source.nioBuffer(at, length);
        // The room ends where the member would not be smaller: zlib stops there, and the work is not wasted on.
        ByteBuffer out = encodedNio.clear().limit(length - GzipFormat.TRAILER);
        GzipFormat.writeHeader(out);
        deflater.reset();
        deflater.setLevel(level);
        deflater.setInput(in.duplicate());
        deflater.finish();
        deflater.deflate(out);
        if (!deflater.finished()) {
            return null;
        }
        out.limit(length);
        out.putInt(checksum(in)).putInt(length);
        return out.position() < length ? encoded.setIndex(0, out.position()) : null;
    }

    @Override
    public void restore(ByteBuf source, int at, int length, ByteBuf target, int original) {
        if (inflater == null) {
            inflater = new Inflater(true);
        }
        ByteBuffer in = source.nioBuffer(at, length).order(ByteOrder.LITTLE_ENDIAN);
        GzipFormat.skipHeader(in);
        ByteBuffer out = target.nioBuffer(target.writerIndex(), original);
        inflater.reset();
        inflater.setInput(in);
        try {
            inflater.inflate(out);
        } catch (DataFormatException e) {
            throw new BadContent("gzip content of " + length + " octets: " + e.getMessage());
        }
        if (!inflater.finished() || out.hasRemaining()) {
            throw new BadContent("gzip content is cut off or is not of the " + original + " octets that were announced");
        }
        if (in.remaining() != GzipFormat.TRAILER) {
            throw new BadContent("gzip content ends with " + in.remaining() + " octets where a trailer has " + GzipFormat.TRAILER);
        }
        if (in.getInt() != checksum(out.flip()) || in.getInt() != original) {
            throw new BadContent("gzip content does not match its checksum or length");
        }
        target.writerIndex(target.writerIndex() + original);
    }

    private int checksum(ByteBuffer octets) {
        crc.reset();
        crc.update(octets);
        return (int) crc.getValue();
    }

    @Override
    public void close() {
        if (deflater != null) {
            deflater.end();
            encoded.release();
        }
        if (inflater != null) {
            inflater.end();
        }
    }
}
