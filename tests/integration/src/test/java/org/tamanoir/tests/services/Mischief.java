package org.tamanoir.tests.services;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Output;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/** A service that does one thing wrong: the one that its name says. */
public final class Mischief implements ActiveService {
    /** A system property: while it is not set, some of it waits and hears nothing. */
    public static final String DEAF = "tamanoir.tests.deaf";

    private String name;

    @Override
    public void start(ServiceContext service) throws Exception {
        name = service.name();
        switch (name) {
            case "start-throws" -> throw new IllegalStateException("on purpose");
            case "start-throws-error" -> throw new AssertionError("on purpose");
            case "start-exits" -> Runtime.getRuntime().exit(77);
            case "start-loops" -> loop();
            case "start-sleeps" -> sleep();
            case "metric-throws" -> service.metrics().counter("bad", "Throws.", () -> {
                throw new AssertionError("on purpose");
            });
            case "metric-twice" -> {
                service.metrics().counter("same", "Once.", () -> 1);
                service.metrics().counter("same", "Twice.", () -> 2);
            }
            default -> service.metrics().counter("good", "Harmless.", () -> 1);
        }
    }

    @Override
    public StreamHandler open(StreamContext stream) throws Exception {
        switch (name) {
            case "open-throws" -> throw new IllegalStateException("on purpose");
            case "open-loops" -> loop();
            case "open-sleeps" -> sleep();
            default -> { }
        }
        return name.equals("open-null") ? null : new Handler(name);
    }

    @Override
    public void stop() {
        switch (name) {
            case "stop-throws" -> throw new AssertionError("on purpose");
            case "stop-loops" -> loop();
            default -> { }
        }
    }

    static void loop() {
        long turns = 0;
        while (true) {
            turns++;
            if (turns < 0) {
                return;
            }
        }
    }

    private static void loopAndCatch() {
        while (true) {
            try {
                loop();
            } catch (Throwable t) {
                // Looks away, as bad code does.
            }
        }
    }

    private static void sleep() throws InterruptedException {
        Thread.sleep(3_600_000);
    }

    /** Waits in code that no guard reaches: the JDK's own, which looks away when it is interrupted. */
    static final class Deaf {
        private Deaf() {
        }

        static void await() {
            java.util.concurrent.Semaphore never = new java.util.concurrent.Semaphore(0);
            Thread waker = new Thread(() -> wake(never), "test-waker");
            waker.setDaemon(true);
            waker.start();
            never.acquireUninterruptibly();
        }

        private static void wake(java.util.concurrent.Semaphore semaphore) {
            try {
                while (System.getProperty(DEAF) == null) {
                    Thread.sleep(50);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            semaphore.release();
        }
    }

    /** What it does to one stream. */
    static final class Handler implements StreamHandler {
        private final String name;
        private final List<Packet> kept = new ArrayList<>();
        private long packets;

        Handler(String name) {
            this.name = name;
        }

        @Override
        public Verdict onPacket(Packet packet, Output out) throws Exception {
            packets++;
            switch (name) {
                case "packet-throws" -> throw new IllegalStateException("on purpose");
                case "packet-throws-error" -> throw new StackOverflowError("on purpose");
                case "packet-exits" -> System.exit(77);
                case "packet-halts" -> Runtime.getRuntime().halt(77);
                case "packet-loops" -> loop();
                case "packet-loops-and-catches" -> loopAndCatch();
                case "packet-loops-in-the-jdk" -> Stream.generate(() -> 1).forEach(one -> { });
                case "packet-sleeps" -> sleep();
                case "packet-parks" -> park();
                case "packet-waits-deaf" -> Deaf.await();
                case "packet-waits-a-little" -> Thread.sleep(60);
                case "packet-emits-garbage" -> out.emit(Unpooled.wrappedBuffer(new byte[40]));
                case "packet-emits-a-part" -> part(packet, out);
                case "packet-emits-too-much" -> out.emitPayload(out.allocator().buffer().writeZero(70_000));
                case "packet-emits-released" -> released(packet, out);
                case "packet-emits-without-end" -> flood(out);
                case "packet-emits-a-thousand" -> thousand(packet, out);
                case "packet-keeps" -> keep(packet);
                case "packet-drop-null" -> {
                    return Verdict.drop(null);
                }
                case "packet-null" -> {
                    return null;
                }
                case "packet-drops" -> {
                    return Verdict.drop("reason-" + packets);
                }
                default -> { }
            }
            return name.equals("packet-emits-a-thousand") ? Verdict.TAKEN : Verdict.PASS;
        }

        private static void park() {
            while (true) {
                LockSupport.park();
            }
        }

        /** A view that promises more octets than there are. */
        private static void part(Packet packet, Output out) {
            ByteBuf octets = Unpooled.wrappedBuffer(new byte[] {1, 0, 0x55, 0, 0, 2, 0, 100, 1, 2, 3, 4});
            out.emit(new Packet().wrap(octets, 0, octets.readableBytes()));
        }

        private static void released(Packet packet, Output out) {
            Packet copy = packet.retain();
            ByteBuf buffer = out.allocator().buffer().writeBytes(copy.buffer(), 0, copy.length());
            copy.release();
            buffer.release();
            out.emit(buffer);
        }

        /** Does not ask whether there is room. */
        private static void flood(Output out) {
            while (true) {
                out.emitPayload(out.allocator().buffer().writeZero(60_000));
            }
        }

        private static void thousand(Packet packet, Output out) {
            for (int i = 0; i < 1000; i++) {
                out.emit(packet);
            }
        }

        /** Keeps views without a reference and looks at them later; what it sees then is nobody's. */
        private void keep(Packet packet) {
            kept.add(packet);
            for (Packet old : kept) {
                old.payloadLength();
            }
        }

        @Override
        public Verdict onReturn(Packet packet, Output out) throws Exception {
            switch (name) {
                case "return-throws" -> throw new IllegalStateException("on purpose");
                case "return-waits" -> Thread.sleep(60);
                default -> { }
            }
            return Verdict.PASS;
        }

        @Override
        public void onEnd(Output out) throws Exception {
            switch (name) {
                case "end-throws" -> throw new IllegalStateException("on purpose");
                case "end-loops" -> loop();
                default -> { }
            }
        }

        @Override
        public Map<String, Object> report() {
            switch (name) {
                case "report-throws" -> throw new AssertionError("on purpose");
                case "report-loops" -> loop();
                default -> { }
            }
            return Map.of("packets", packets);
        }

        @Override
        public void close() {
            switch (name) {
                case "close-throws" -> throw new AssertionError("on purpose");
                case "close-loops" -> loop();
                default -> { }
            }
        }
    }
}
