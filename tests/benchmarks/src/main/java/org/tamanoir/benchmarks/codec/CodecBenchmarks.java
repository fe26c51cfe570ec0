package org.tamanoir.benchmarks.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Framing;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.OptionType;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.anep.PacketOptions.PreviousNode;

/** Each class is a case of the bench, each method of it a row for every length of a packet. */
public final class CodecBenchmarks {
    private static final int TYPE_ID = 0x5402;

    private CodecBenchmarks() {
    }

    /** What an application sends and a node extends. */
    private static PacketOptions options(Delivery delivery) {
        return new PacketOptions().destination(new Identifier(Identifier.IPV4, new byte[] {(byte) 192, 0, 2, 1})).stream(0x0123_4567_89AB_CDEFL, 0)
                .delivery(7000, delivery).previousNode(new PreviousNode(7, 3324)).hops(15);
    }

    /** Packets in a direct buffer, as a socket's read fills it. */
    @State(Scope.Thread)
    public abstract static class Buffered {
        final Packet view = new Packet();
        ByteBuf buffer;

        /** As many packets of {@code size} octets as fit. */
        final void fill(int size, int room, PacketOptions options) {
            buffer = Unpooled.directBuffer(room);
            ByteBuf empty = new PacketBuilder(TYPE_ID).options(options).build(buffer.alloc());
            ByteBuf payload = Unpooled.buffer();
            for (int i = empty.readableBytes(); i < size; i++) {
                payload.writeByte(i * 31);
            }
            empty.release();
            PacketBuilder builder = new PacketBuilder(TYPE_ID).options(options).payload(payload);
            while (buffer.writableBytes() >= size) {
                builder.writeTo(buffer);
            }
        }

        @TearDown
        public void release() {
            buffer.release();
        }
    }

    /** What a node does with every packet of a stream, in a receive buffer of 1 MB: find its end, move the view, read the header. */
    public static class FramingBenchmark extends Buffered {
        @Param({"256", "1400", "8192", "60000"})
        public int packet;

        private int at;
        private int end;

        @Setup
        public void write() {
            fill(packet, 1 << 20, null);
            end = buffer.writerIndex();
        }

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

    /** The opening packet of a stream, seven options of 84 octets: once a stream on TCP, once a packet on UDP. */
    public static class OptionsBenchmark extends Buffered {
        private final PacketOptions options = options(Delivery.RAW).chain(0x5403).timestamp(1_700_000_000_000_000_000L);
        private final ByteBuf out = Unpooled.directBuffer(1024);

        @Setup
        public void write() {
            buffer = new PacketBuilder(TYPE_ID).options(options).build(out.alloc());
            view.wrap(buffer, 0, buffer.readableBytes());
        }

        @TearDown
        public void releaseOut() {
            out.release();
        }

        /** Everything checked, nothing kept. */
        @Benchmark
        public Packet check() {
            view.wrap(buffer, 0, buffer.readableBytes());
            view.checkOptions();
            return view;
        }

        /** As an object. */
        @Benchmark
        public PacketOptions read() {
            view.wrap(buffer, 0, buffer.readableBytes());
            view.checkOptions();
            return view.options();
        }

        /** What a service reads of a datagram, without the object. */
        @Benchmark
        public long shortcuts() {
            view.wrap(buffer, 0, buffer.readableBytes());
            return view.streamId() + view.sequence() + view.hops();
        }

        /** Header and options into a buffer that is there. */
        @Benchmark
        public ByteBuf writeAgain() {
            out.clear();
            new PacketBuilder(TYPE_ID).options(options).writeTo(out);
            return out;
        }

        /** One hop. */
        @Benchmark
        public Packet hop() {
            view.setHops(view.hops() ^ 1);
            return view;
        }
    }

    /** A datagram with five options and a checksum, as it passes a node: the transport and two services check it and ask about it. */
    public static class DatagramBenchmark extends Buffered {
        @Param({"256", "1400"})
        public int packet;

        private long node;

        @Setup
        public void write() {
            fill(packet, packet, options(Delivery.ANEP).checksum(true));
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

    /** A packet with a checksum, checked. */
    public static class ChecksumBenchmark extends Buffered {
        @Param({"256", "1400", "8192", "60000"})
        public int packet;

        @Setup
        public void write() {
            fill(packet, packet, new PacketOptions().checksum(true));
        }

        @Benchmark
        public Packet check() {
            view.wrap(buffer, 0, packet);
            view.checkOptions();
            return view;
        }
    }
}
