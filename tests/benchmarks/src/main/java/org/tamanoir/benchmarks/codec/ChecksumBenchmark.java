package org.tamanoir.benchmarks.codec;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketOptions;

/** A packet with a checksum, checked. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ChecksumBenchmark {
    /** Octets of a packet. */
    @Param({"256", "1400", "8192", "60000"})
    public int packet;

    private ByteBuf buffer;
    private Packet view;

    @Setup
    public void write() {
        buffer = Samples.run(packet, packet, new PacketOptions().checksum(true));
        view = Packet.of(buffer);
    }

    @TearDown
    public void release() {
        buffer.release();
    }

    @Benchmark
    public Packet check() {
        view.wrap(buffer, 0, packet);
        view.checkOptions();
        return view;
    }
}
