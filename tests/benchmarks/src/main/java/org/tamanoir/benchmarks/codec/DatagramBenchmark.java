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
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.OptionType;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.anep.PacketOptions.PreviousNode;

/** A datagram with five options and a checksum, as it passes a node: the transport and two services check it and ask about it. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class DatagramBenchmark {
    /** Octets of a packet. */
    @Param({"256", "1400"})
    public int packet;

    private final Packet view = new Packet();
    private ByteBuf buffer;
    private long node;

    @Setup
    public void write() {
        buffer = Samples.run(packet, packet, new PacketOptions().checksum(true)
                .destination(new Identifier(Identifier.IPV4, new byte[] {(byte) 192, 0, 2, 1})).stream(0x0123_4567_89AB_CDEFL, 0)
                .delivery(7000, Delivery.ANEP).previousNode(new PreviousNode(7, 3324)).hops(15));
    }

    @TearDown
    public void release() {
        buffer.release();
    }

    /** Fifteen questions, three checks, two changes: one node. */
    @Benchmark
    public long pass() {
        view.wrap(buffer, 0, packet);
        view.checkOptions();
        long seen = view.hasDestination() ? view.destinationLow() + view.destinationHigh() : 0;
        seen += view.streamId() + view.hops() + (view.has(OptionType.DELIVERY) ? 1 : 0) + (view.isHandedOver() ? 1 : 0);
        for (int service = 0; service < 2; service++) {
            view.checkOptions();
            seen += view.streamId() + view.sequence() + (view.contentEncoding() == null ? 0 : 1) + (view.has(OptionType.STREAM) ? 1 : 0);
        }
        view.setHops(view.hops() ^ 1);
        view.setPreviousNode(++node, 3324);
        return seen;
    }
}
