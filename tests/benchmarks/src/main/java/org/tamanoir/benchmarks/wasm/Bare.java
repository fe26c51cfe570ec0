package org.tamanoir.benchmarks.wasm;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.helpers.NOPLogger;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.Metrics;
import org.tamanoir.service.Output;
import org.tamanoir.service.Run;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.Verdict;

/** As much of a node as a module needs to work: what it counts and says goes nowhere. */
final class Bare {
    private static final Logger SILENT = NOPLogger.NOP_LOGGER;
    private static final Metrics METRICS = made(Metrics.class);
    static final ServiceContext SERVICE = made(ServiceContext.class);
    static final StreamContext STREAM = made(StreamContext.class);
    static final Output OUTPUT = made(Output.class);

    private Bare() {
    }

    private static <T> T made(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(Bare.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> answer(method.getName(), arguments)));
    }

    private static Object answer(String method, Object[] arguments) {
        return switch (method) {
            case "metrics" -> METRICS;
            case "service" -> SERVICE;
            case "logger" -> SILENT;
            case "configuration", "parameters" -> new MapConfiguration("options", Map.of());
            case "nanoTime" -> System.nanoTime();
            case "isWritable", "emit" -> true;
            case "allocator" -> PooledByteBufAllocator.DEFAULT;
            case "emitPayload" -> ((ByteBuf) arguments[0]).release();
            default -> null;
        };
    }

    /** Packets of one size behind one another in one buffer, as a node reads them. */
    static final class Packets implements Run, AutoCloseable {
        private final List<Packet> packets = new ArrayList<>();
        private final ByteBuf buffer;

        /** @param size of a packet, header included */
        Packets(int size) {
            ByteBuf one = new PacketBuilder(0x5801).payload(PooledByteBufAllocator.DEFAULT.buffer().writeZero(size - 8)).build(PooledByteBufAllocator.DEFAULT);
            int count = Math.max(1, Math.min(MOST_PACKETS, MOST_OCTETS / one.readableBytes()));
            buffer = PooledByteBufAllocator.DEFAULT.directBuffer(count * one.readableBytes());
            for (int i = 0; i < count; i++) {
                buffer.writeBytes(one, one.readerIndex(), one.readableBytes());
                packets.add(new Packet().wrap(buffer, i * one.readableBytes(), one.readableBytes()));
            }
            one.release();
        }

        int octets() {
            return buffer.readableBytes();
        }

        @Override
        public int count() {
            return packets.size();
        }

        @Override
        public Packet packet(int index) {
            return packets.get(index);
        }

        @Override
        public void verdict(int index, Verdict verdict) {
            // Nothing goes on from here.
        }

        @Override
        public void settle(int index) {
            // Nothing goes on from here.
        }

        @Override
        public void close() {
            buffer.release();
        }
    }
}
