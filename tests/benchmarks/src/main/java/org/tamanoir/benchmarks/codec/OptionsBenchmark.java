package org.tamanoir.benchmarks.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;

/** The opening packet of a stream, seven options: once a stream on TCP, once a packet on UDP. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class OptionsBenchmark {
    private ByteBuf buffer;
    private ByteBuf out;
    private Packet packet;
    private PacketOptions options;

    @Setup
    public void write() {
        options = Samples.opening();
        buffer = new PacketBuilder(0x5402).options(options).build(Unpooled.directBuffer(1).alloc());
        packet = Packet.of(buffer);
        out = Unpooled.directBuffer(1024);
    }

    @TearDown
    public void release() {
        buffer.release();
        out.release();
    }

    /** Everything checked, nothing kept. */
    @Benchmark
    public Packet check() {
        packet.wrap(buffer, 0, buffer.readableBytes());
        packet.checkOptions();
        return packet;
    }

    /** As an object. */
    @Benchmark
    public PacketOptions read() {
        packet.wrap(buffer, 0, buffer.readableBytes());
        packet.checkOptions();
        return packet.options();
    }

    /** What a service reads of a datagram, without the object. */
    @Benchmark
    public long shortcuts() {
        packet.wrap(buffer, 0, buffer.readableBytes());
        return packet.streamId() + packet.sequence() + packet.hops();
    }

    /** Header and options into a buffer that is there. */
    @Benchmark
    public ByteBuf writeAgain() {
        out.clear();
        new PacketBuilder(0x5402).options(options).writeTo(out);
        return out;
    }

    /** One hop. */
    @Benchmark
    public Packet hop() {
        packet.setHops(packet.hops() ^ 1);
        return packet;
    }
}
