package org.tamanoir.services.monitoring;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.anep.PacketRun;
import org.tamanoir.service.Run;
import org.tamanoir.service.RunHandler;
import org.tamanoir.service.Verdict;

/**
 * What monitoring costs a packet: walks a receive buffer full of packets as a node does, once with a handler that only passes and once
 * with monitoring, interleaved. A main program, not a test: figures of a busy machine prove nothing.
 */
public final class PacketCost {
    private static final int BUFFER = 1 << 20;
    private static final int ROUNDS = 31;
    private static final int PACKETS_PER_ROUND = 4_000_000;

    private PacketCost() {
    }

    public static void main(String[] args) throws Exception {
        print("256 octets, no options", 248, null);
        print("1400 octets, no options", 1_392, null);
        print("1400 octets, sequence number", 1_372, new PacketOptions().stream(1, 1));
        print("1400 octets, sequence number and timestamp", 1_360, new PacketOptions().stream(1, 1).timestamp(1));
        print("8 to 2000 octets at random, no options", -1, null);
        memory();
    }

    private static void print(String name, int payload, PacketOptions options) throws Exception {
        ByteBuf buffer = fill(payload, options);
        RunHandler pass = (run, out) -> { };
        RunHandler monitored = new MonitoredStream(new Totals(), System::nanoTime);
        List<Double> base = new ArrayList<>();
        List<Double> full = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            base.add(run(buffer, pass));
            full.add(run(buffer, monitored));
        }
        double pureNanos = median(base.subList(ROUNDS / 3, ROUNDS));
        double withNanos = median(full.subList(ROUNDS / 3, ROUNDS));
        System.out.printf(Locale.ROOT, "%-45s pass %6.2f ns, monitoring %6.2f ns, difference %6.2f ns a packet%n", name, pureNanos,
                withNanos, withNanos - pureNanos);
        buffer.release();
    }

    private static ByteBuf fill(int payload, PacketOptions options) {
        Random random = new Random(1);
        ByteBuf buffer = PooledByteBufAllocator.DEFAULT.directBuffer(BUFFER);
        long sequence = 0;
        while (true) {
            byte[] octets = new byte[payload >= 0 ? payload : random.nextInt(1_993)];
            if (options != null) {
                options.stream(1, sequence++);
            }
            ByteBuf packet = new PacketBuilder(0x5402).options(options).payload(Unpooled.wrappedBuffer(octets))
                    .build(PooledByteBufAllocator.DEFAULT);
            boolean full = packet.readableBytes() > BUFFER - buffer.writerIndex();
            if (!full) {
                buffer.writeBytes(packet);
            }
            packet.release();
            if (full) {
                return buffer;
            }
        }
    }

    /** What a node has found in a read. */
    private record Found(PacketRun packets) implements Run {
        @Override
        public int count() {
            return packets.count();
        }

        @Override
        public Packet packet(int index) {
            return packets.packet(index);
        }

        @Override
        public int length() {
            return packets.length();
        }

        @Override
        public boolean isUniform() {
            return packets.isUniform();
        }

        @Override
        public void verdict(int index, Verdict verdict) {
            throw new AssertionError("a packet does not pass");
        }

        @Override
        public void settle(int index) {
            throw new AssertionError("something is emitted");
        }
    }

    /** Nanoseconds a packet. */
    private static double run(ByteBuf buffer, RunHandler handler) throws Exception {
        Found found = new Found(new PacketRun());
        int end = buffer.writerIndex();
        long packets = 0;
        long begin = System.nanoTime();
        while (packets < PACKETS_PER_ROUND) {
            long now = System.nanoTime();      // once a read, as a node does
            for (int at = 0; at < end; at += found.packets.length()) {
                found.packets.find(buffer, at, end, PacketRun.MOST_PACKETS);
                found.packets.of(now, 0);
                handler.onRun(found, null);
                packets += found.count();
            }
        }
        return (double) (System.nanoTime() - begin) / packets;
    }

    private static void memory() {
        Totals totals = new Totals();
        MonitoredStream[] streams = new MonitoredStream[20_000];
        long before = used();
        Arrays.setAll(streams, i -> new MonitoredStream(totals, System::nanoTime));
        System.out.printf(Locale.ROOT, "memory of a stream without sequence numbers: %d octets (%d streams)%n",
                (used() - before) / streams.length, streams.length);
        ByteBuf buffer = fill(1_372, new PacketOptions().stream(1, 1));
        Found found = new Found(new PacketRun());
        found.packets.find(buffer, 0, buffer.writerIndex(), 1);
        for (MonitoredStream stream : streams) {
            stream.onRun(found, null);
            stream.onReturnRun(found, null);
        }
        System.out.printf(Locale.ROOT, "memory of a stream with sequence numbers both ways: %d octets%n", (used() - before) / streams.length);
        buffer.release();
    }

    private static long used() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static double median(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).sorted().skip(values.size() / 2).findFirst().orElseThrow();
    }
}
