package org.tamanoir.services.compression;

import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.tamanoir.anep.ContentEncoding;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.service.Output;
import org.tamanoir.service.Transport;

/**
 * What the service adds to its codec: every block of a real file goes through the bare codec and through the handler, in turn, each first
 * every other time, on one core. Arguments: file (default: the JDK's lib/modules), octets a payload (default 60000), passes (default 8).
 * A main program, not a test.
 */
public final class HandlerThroughput {
    private interface Bare {
        int run(ByteBuffer in, ByteBuffer out, int original) throws Exception;
    }

    private final List<Packet> plain;
    private final long octets;
    private final int passes;

    private HandlerThroughput(Path file, int size, int passes) throws Exception {
        this.plain = read(file, size);
        this.octets = plain.stream().mapToLong(Packet::payloadLength).sum();
        this.passes = passes;
    }

    public static void main(String[] args) throws Exception {
        Path file = args.length > 0 ? Path.of(args[0]) : Path.of(System.getProperty("java.home"), "lib", "modules");
        HandlerThroughput bench = new HandlerThroughput(file, args.length > 1 ? Integer.parseInt(args[1]) : 60_000,
                args.length > 2 ? Integer.parseInt(args[2]) : 8);
        System.out.printf(Locale.ROOT, "%s: %d octets in %d packets, %d passes%n", file, bench.octets, bench.plain.size(), bench.passes);
        bench.zstd();
        bench.gzip();
    }

    private void zstd() throws Exception {
        try (ZstdCompressCtx compressor = new ZstdCompressCtx().setLevel(3); ZstdDecompressCtx restorer = new ZstdDecompressCtx()) {
            both(ContentEncoding.ZSTD, "zstd 3", ZstdCodec::new,
                    (in, out, original) -> compressor.compressDirectByteBuffer(out, 0, out.capacity(), in, in.position(), in.remaining()),
                    (in, out, original) -> restorer.decompressDirectByteBuffer(out, 0, original, in, in.position(), in.remaining()));
        }
    }

    private void gzip() throws Exception {
        Deflater deflater = new Deflater(6, true);
        Inflater inflater = new Inflater(true);
        both(ContentEncoding.GZIP, "gzip 6", GzipCodec::new, (in, out, original) -> {
            deflater.reset();
            deflater.setInput(in);
            deflater.finish();
            return deflater.deflate(out.clear());
        }, (in, out, original) -> {
            inflater.reset();
            inflater.setInput(in.position(in.position() + 10));
            return inflater.inflate(out.clear().limit(original));
        });
        deflater.end();
        inflater.end();
    }

    private void both(ContentEncoding encoding, String name, Supplier<Codec> maker, Bare encode, Bare restore)
            throws Exception {
        try (CodecPool pool = new CodecPool(maker)) {
            List<Packet> wire = new ArrayList<>();
            Compressor compressor = new Compressor(encoding, pool, 64, fixed(encoding), new DirectionCounters(new ServiceCounters(), true, true));
            for (Packet packet : plain) {
                Sink sink = new Sink(true);
                compressor.apply(packet, sink);
                wire.add(sink.kept == null ? packet : sink.kept);
            }
            long encoded = wire.stream().mapToLong(Packet::length).sum();
            System.out.printf(Locale.ROOT, "%s: ratio %.3f, %d of %d packets compressed%n", name, (double) (octets + 8L * plain.size()) / encoded,
                    wire.stream().filter(Packet::hasOptions).count(), wire.size());
            compare(name + " compress", plain, compressor, encode);
            wire.removeIf(packet -> !packet.hasOptions());
            compare(name + " restore ", wire, new Restorer(Map.of(encoding, pool), Transport.TCP, new DirectionCounters(new ServiceCounters(), true, false)), restore);
            wire.stream().filter(packet -> !plain.contains(packet)).forEach(Packet::release);
        }
    }

    private static LevelChoice fixed(ContentEncoding encoding) {
        int level = encoding == ContentEncoding.ZSTD ? 3 : 6;
        return new LevelChoice(new int[] {level}, LevelControl.Known.nothing(0), known -> { });
    }

    /** For each block the fastest of the passes counts, so that other programs on the machine disturb little. */
    private void compare(String name, List<Packet> packets, DirectionCodec handler, Bare bare) throws Exception {
        ByteBuffer out = ByteBuffer.allocateDirect(70_000);
        long[][] fastest = new long[2][packets.size()];
        Arrays.fill(fastest[0], Long.MAX_VALUE);
        Arrays.fill(fastest[1], Long.MAX_VALUE);
        long done = 0;
        for (int pass = 0; pass < passes; pass++) {
            done = 0;
            for (int i = 0; i < packets.size(); i++) {
                Packet packet = packets.get(i);
                int original = packet.hasOptions() ? packet.originalLength() : packet.payloadLength();
                done += original;
                for (int turn = 0; turn < 2; turn++) {
                    boolean isBare = (i + pass + turn) % 2 == 0;
                    long begin = System.nanoTime();
                    if (isBare) {
                        bare.run(packet.buffer().nioBuffer(packet.payloadOffset(), packet.payloadLength()), out, original);
                    } else {
                        handler.apply(packet, new Sink(false));
                    }
                    long nanos = System.nanoTime() - begin;
                    int which = isBare ? 0 : 1;
                    fastest[which][i] = Math.min(fastest[which][i], nanos);
                }
            }
        }
        long bareNanos = Arrays.stream(fastest[0]).sum();
        long handlerNanos = Arrays.stream(fastest[1]).sum();
        System.out.printf(Locale.ROOT, "%s: bare %7.1f MB/s, handler %7.1f MB/s, handler's time %.3f of the bare codec's%n", name,
                done * 1e3 / bareNanos, done * 1e3 / handlerNanos, (double) handlerNanos / bareNanos);
    }

    private static List<Packet> read(Path file, int size) throws Exception {
        List<Packet> packets = new ArrayList<>();
        try (FileChannel channel = FileChannel.open(file)) {
            ByteBuffer block = ByteBuffer.allocate(size);
            while (channel.read(block.clear()) > 0) {
                packets.add(Packet.of(new PacketBuilder(0x5403).payload(Unpooled.wrappedBuffer(block.flip()))
                        .build(PooledByteBufAllocator.DEFAULT)));
            }
        }
        return packets;
    }

    /** Where packets end: kept for the way back, or released at once. */
    private static final class Sink implements Output {
        @Override
        public void mark(int dscp) {
            // Nobody looks at code points here.
        }

        private final boolean keep;
        private Packet kept;

        Sink(boolean keep) {
            this.keep = keep;
        }

        @Override
        public boolean emit(Packet packet) {
            return true;
        }

        @Override
        public boolean emit(ByteBuf packet) {
            if (keep) {
                kept = Packet.of(packet);
            } else {
                packet.release();
            }
            return true;
        }

        @Override
        public boolean emitPayload(ByteBuf payload) {
            payload.release();
            return true;
        }

        @Override
        public void holdEnd() {
            // There is no end.
        }

        @Override
        public void finish() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void releaseEnd() {
            // There is no end.
        }

        @Override
        public boolean isWritable() {
            return true;
        }

        @Override
        public ByteBufAllocator allocator() {
            return PooledByteBufAllocator.DEFAULT;
        }
    }
}
