package org.tamanoir.services.compression;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.tamanoir.anep.Anep;
import org.tamanoir.services.compression.Codec.BadContent;

/**
 * zstd frames (RFC 8878) by zstd-jni, from direct memory to direct memory. A context is made when it is first needed: about 0.5 MB to
 * compress at level 3, 1.5 MB at level 19 and above, 0.05 MB to restore.
 */
final class ZstdCodec implements Codec {
    private int level;
    private ZstdCompressCtx compressor;
    private ZstdDecompressCtx restorer;
    private ByteBuf encoded;
    private ByteBuffer encodedNio;
    private ByteBuf direct;

    @Override
    public ByteBuf encode(ByteBuf source, int at, int length, int level) {
        if (compressor == null) {
            compressor = new ZstdCompressCtx().setLevel(level);
            this.level = level;
            encoded = Unpooled.directBuffer((int) Zstd.compressBound(Anep.MAX_PACKET));
            encodedNio = encoded.nioBuffer(0, encoded.capacity());
        }
        if (level != this.level) {
            compressor.setLevel(level);
            this.level = level;
        }
        ByteBuffer in = inDirectMemory(source, at, length);
        int size = compressor.compressDirectByteBuffer(encodedNio, 0, encodedNio.capacity(), in, in.position(), length);
        return size < length ? encoded.setIndex(0, size) : null;
    }

    @Override
    public void restore(ByteBuf source, int at, int length, ByteBuf target, int original) {
        if (restorer == null) {
            restorer = new ZstdDecompressCtx();
        }
        ByteBuffer in = inDirectMemory(source, at, length);
        ByteBuffer out = target.nioBuffer(target.writerIndex(), original);
        int size;
        try {
            size = restorer.decompressDirectByteBuffer(out, out.position(), original, in, in.position(), length);
        } catch (ZstdException e) {
            throw new BadContent("zstd content of " + length + " octets: " + e.getMessage());
        }
        if (size != original) {
            throw new BadContent("zstd content of " + size + " octets where " + original + " were announced");
        }
        target.writerIndex(target.writerIndex() + original);
    }

    /** The octets as one direct buffer: a view where they are in one, as packets of a node are; else a copy. */
    private ByteBuffer inDirectMemory(ByteBuf source, int at, int length) {
        if (source.isDirect() && source.nioBufferCount() == 1) {
            return source.nioBuffer(at, length);
        }
        if (direct == null) {
            direct = Unpooled.directBuffer(Anep.MAX_PACKET);
        }
        direct.clear().writeBytes(source, at, length);
        return direct.nioBuffer();
    }

    @Override
    public void close() {
        if (compressor != null) {
            compressor.close();
            encoded.release();
        }
        if (restorer != null) {
            restorer.close();
        }
        if (direct != null) {
            direct.release();
        }
    }
}
