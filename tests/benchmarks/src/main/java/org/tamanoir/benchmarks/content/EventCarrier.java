package org.tamanoir.benchmarks.content;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToDoubleFunction;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.BundledServices;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Framing;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.interest.wire.EventView;
import org.tamanoir.interest.wire.FrameReader;
import org.tamanoir.interest.wire.Frames;

/** What brings events from publishers to subscribers. The programs are plain sockets whichever it is, so that what differs is what is between them. */
abstract class EventCarrier {
    private static final byte[] DATA = "{\"t\":31.25,\"unit\":\"C\",\"station\":\"hall-7\",\"sequence\":1234567890}".getBytes(StandardCharsets.UTF_8);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    final String name;
    /** The process between them; 0 for none. */
    final long pid;

    EventCarrier(String name, long pid) {
        this.name = name;
        this.pid = pid;
    }

    /** A program that publishes on a topic. */
    abstract Socket publisher(int topic) throws IOException;

    /** A program that wants a topic; returns when it gets what is published from now on. */
    abstract Socket subscriber(int topic) throws IOException;

    /** So many events as they are sent. @param together whether a packet has as many as it can, where there are packets */
    abstract byte[] events(int topic, int count, boolean together);

    /** Takes whole events out of what a subscriber was sent. @return how many */
    abstract int take(ByteBuf in);

    static String topic(int number) {
        return "bench/sensors/" + number;
    }

    private static Socket connected(InetSocketAddress to) throws IOException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                Socket socket = new Socket(to.getAddress(), to.getPort());
                socket.setTcpNoDelay(true);
                socket.setSoTimeout((int) PATIENCE.toMillis());
                return socket;
            } catch (IOException e) {
                if (System.nanoTime() - end > 0) {
                    throw e;
                }
                Pauses.shortly();
            }
        }
    }

    /** The service {@code interest} of one node. */
    static EventCarrier interest(InetSocketAddress node, long pid) {
        int type = BundledServices.typeId("interest");
        return new EventCarrier("interest", pid) {
            private byte[] packet(ByteBuf payload) {
                ByteBuf packet = new PacketBuilder(type).payload(payload).build(UnpooledByteBufAllocator.DEFAULT);
                try {
                    return ByteBufUtil.getBytes(packet);
                } finally {
                    packet.release();
                }
            }

            @Override
            Socket publisher(int topic) throws IOException {
                Socket socket = connected(node);
                PacketOptions options = new PacketOptions().destination(Identifier.of(node.getAddress())).delivery(node.getPort(), Delivery.ANEP);
                ByteBuf opening = new PacketBuilder(type).flags(Anep.FLAG_DISCARD_UNKNOWN).options(options).build(UnpooledByteBufAllocator.DEFAULT);
                socket.getOutputStream().write(ByteBufUtil.getBytes(opening));
                opening.release();
                return socket;
            }

            @Override
            Socket subscriber(int topic) throws IOException {
                Socket socket = publisher(topic);
                socket.getOutputStream().write(packet(Frames.subscribe(1, "{\"topic\":\"" + topic(topic) + "\"}")));
                // The packet that says ready.
                new DataInputStream(socket.getInputStream()).readFully(new byte[Anep.HEADER_SIZE + Frames.HEADER + Integer.BYTES]);
                return socket;
            }

            @Override
            byte[] events(int topic, int count, boolean together) {
                ByteBuf all = Unpooled.buffer();
                ByteBuf frame = EventView.frame(topic(topic), EventView.JSON, DATA);
                byte[] alone = packet(frame.copy());
                for (int i = 0; i < count; i++) {
                    all.writeBytes(together ? frame.duplicate() : Unpooled.wrappedBuffer(alone));
                }
                return together ? packet(all) : ByteBufUtil.getBytes(all);
            }

            private final ThreadLocal<Heard> heard = ThreadLocal.withInitial(Heard::new);

            @Override
            int take(ByteBuf in) {
                Heard those = heard.get();
                those.events = 0;
                in.readerIndex(Framing.each(in, in.readerIndex(), in.writerIndex(), those.view, packet -> {
                    those.reader.take(packet.payload(), (kind, octets, body, end) -> those.events += kind == Frames.EVENT ? 1 : 0);
                    return true;
                }));
                return those.events;
            }
        };
    }

    /** Of one subscriber, on its thread. */
    private static final class Heard {
        private final FrameReader reader = new FrameReader(Frames.LONGEST);
        private final Packet view = new Packet();
        private int events;
    }

    /** MQTT 3.1.1 at QoS 0, as far as it is needed. */
    private abstract static class Mqtt extends EventCarrier {
        Mqtt(String name, long pid) {
            super(name, pid);
        }

        @Override
        final byte[] events(int topic, int count, boolean together) {
            byte[] name = topic(topic).getBytes(StandardCharsets.UTF_8);
            ByteBuf all = Unpooled.buffer();
            for (int i = 0; i < count; i++) {
                all.writeByte(0x30).writeByte(2 + name.length + DATA.length).writeShort(name.length).writeBytes(name).writeBytes(DATA);
            }
            return ByteBufUtil.getBytes(all);
        }

        /** All that come are shorter than 128 octets. */
        @Override
        final int take(ByteBuf in) {
            int events = 0;
            while (in.readableBytes() > 2 && in.readableBytes() >= 2 + in.getUnsignedByte(in.readerIndex() + 1)) {
                in.skipBytes(2 + in.getUnsignedByte(in.readerIndex() + 1));
                events++;
            }
            return events;
        }
    }

    /** A broker of MQTT. */
    static EventCarrier mosquitto(int port, long pid) {
        AtomicLong clients = new AtomicLong();
        return new Mqtt("mosquitto", pid) {
            @Override
            Socket publisher(int topic) throws IOException {
                Socket socket = connected(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                byte[] name = ("bench" + clients.incrementAndGet()).getBytes(StandardCharsets.UTF_8);
                byte[] protocol = "MQTT".getBytes(StandardCharsets.UTF_8);
                ByteBuf connect = Unpooled.buffer().writeByte(0x10).writeByte(12 + name.length).writeShort(protocol.length).writeBytes(protocol).writeByte(4).writeByte(2).writeShort(0)
                        .writeShort(name.length).writeBytes(name);
                socket.getOutputStream().write(ByteBufUtil.getBytes(connect));
                new DataInputStream(socket.getInputStream()).readFully(new byte[4]);
                return socket;
            }

            @Override
            Socket subscriber(int topic) throws IOException {
                Socket socket = publisher(topic);
                byte[] name = topic(topic).getBytes(StandardCharsets.UTF_8);
                ByteBuf subscribe = Unpooled.buffer().writeByte(0x82).writeByte(5 + name.length).writeShort(1).writeShort(name.length).writeBytes(name).writeByte(0);
                socket.getOutputStream().write(ByteBufUtil.getBytes(subscribe));
                new DataInputStream(socket.getInputStream()).readFully(new byte[5]);
                return socket;
            }
        };
    }

    /** Nothing: a publisher is connected with one subscriber. */
    static EventCarrier sockets() {
        BlockingQueue<Socket> others = new LinkedBlockingQueue<>();
        return new Mqtt("sockets", 0) {
            @Override
            Socket publisher(int topic) throws IOException {
                try {
                    return others.take();
                } catch (InterruptedException e) {
                    throw new IOException("interrupted", e);
                }
            }

            @Override
            Socket subscriber(int topic) throws IOException {
                try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                    Socket socket = connected((InetSocketAddress) server.getLocalSocketAddress());
                    others.add(server.accept());
                    return socket;
                }
            }
        };
    }

    private static final class Pauses {
        static void shortly() throws IOException {
            try {
                Thread.sleep(20);
            } catch (InterruptedException e) {
                throw new IOException("interrupted", e);
            }
        }
    }

    /** What was brought. */
    record Brought(double eventsPerSecond, double cpuMicros) {
    }

    /**
     * Events that come to subscribers, as many as go. A publisher is never more than a window ahead of the slowest of its subscribers, so that nothing is thrown away.
     *
     * @param subscribers of which each wants one topic; those of one publisher follow in turn
     * @param together    as for {@link #events}
     * @param cpuOf       runs something and says how many seconds of a processor the carrier has used meanwhile
     */
    final Brought run(int publishers, int subscribers, boolean together, double seconds, ToDoubleFunction<Runnable> cpuOf) throws Exception {
        Run run = new Run(publishers, subscribers, together);
        try {
            run.start();
            Thread.sleep(300);
            long[] events = new long[2];
            long begin = System.nanoTime();
            double cpu = cpuOf.applyAsDouble(() -> {
                events[0] = run.total();
                try {
                    Thread.sleep((long) (seconds * 1000));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                events[1] = run.total();
            });
            double time = (System.nanoTime() - begin) / 1e9;
            return new Brought((events[1] - events[0]) / time, cpu * 1e6 / Math.max(1, events[1] - events[0]));
        } finally {
            run.stop();
        }
    }

    private final class Run {
        private static final int WINDOW = 20_000;
        private static final int BATCH = 200;
        private final Socket[] out;
        private final Socket[] in;
        private final AtomicLong[] received;
        private final AtomicBoolean stop = new AtomicBoolean();
        private final boolean together;

        Run(int publishers, int subscribers, boolean together) throws IOException {
            this.together = together;
            in = new Socket[subscribers];
            out = new Socket[publishers];
            received = new AtomicLong[subscribers];
            for (int i = 0; i < subscribers; i++) {
                in[i] = EventCarrier.this.subscriber(i % publishers);
                received[i] = new AtomicLong();
            }
            for (int i = 0; i < publishers; i++) {
                out[i] = EventCarrier.this.publisher(i);
            }
        }

        void start() {
            for (int i = 0; i < in.length; i++) {
                int index = i;
                thread("subscriber", () -> receive(index));
            }
            for (int i = 0; i < out.length; i++) {
                int index = i;
                thread("publisher", () -> publish(index));
            }
        }

        private interface Step {
            void run() throws Exception;
        }

        private void thread(String title, Step step) {
            Thread thread = new Thread(() -> {
                try {
                    step.run();
                } catch (Exception e) {
                    // The end of the run, or a carrier that has ended: then nothing is counted any more.
                    stop.set(true);
                }
            }, title);
            thread.setDaemon(true);
            thread.start();
        }

        private void receive(int index) throws IOException {
            ByteBuf octets = Unpooled.buffer(1 << 18);
            while (!stop.get()) {
                if (octets.writeBytes(in[index].getInputStream(), 1 << 16) < 0) {
                    return;
                }
                received[index].addAndGet(take(octets));
                octets.discardReadBytes();
            }
        }

        private void publish(int index) throws Exception {
            byte[] batch = events(index, BATCH, together);
            OutputStream to = out[index].getOutputStream();
            long sent = 0;
            while (!stop.get()) {
                long least = Long.MAX_VALUE;
                for (int i = index; i < in.length; i += out.length) {
                    least = Math.min(least, received[i].get());
                }
                if (sent - least > WINDOW) {
                    Thread.sleep(1);
                } else {
                    to.write(batch);
                    sent += BATCH;
                }
            }
        }

        long total() {
            long total = 0;
            for (AtomicLong each : received) {
                total += each.get();
            }
            return total;
        }

        void stop() throws IOException {
            stop.set(true);
            for (Socket each : out) {
                each.close();
            }
            for (Socket each : in) {
                each.close();
            }
        }
    }
}
