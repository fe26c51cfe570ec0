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
import org.tamanoir.anep.Framing;
import org.tamanoir.anep.Packet;

/** What a node does with every packet of a stream, in a receive buffer of 1 MB: find its end, move the view, read the header. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FramingBenchmark {
    private static final int ROOM = 1 << 20;

    /** Octets of a packet. */
    @Param({"256", "1400", "8192", "60000"})
    public int packet;

    private final Packet view = new Packet();
    private ByteBuf buffer;
    private int at;
    private int end;

    @Setup
    public void fill() {
        buffer = Samples.run(packet, ROOM, null);
        end = buffer.writerIndex();
    }

    @TearDown
    public void release() {
        buffer.release();
    }

    /** One packet. */
    @Benchmark
    public int next() {
        int length = Framing.packetLength(buffer, at, end - at);
        view.wrap(buffer, at, length);
        view.checkOptions();
        at += length;
        if (at == end) {
            at = 0;
        }
        return view.typeId() + view.payloadLength();
    }
}
