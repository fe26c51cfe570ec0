package org.tamanoir.tests.services;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Configuration;
import org.tamanoir.service.Inspected;
import org.tamanoir.service.Output;
import org.tamanoir.service.Partner;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/** Does what its name says with what a node offers besides packets. */
public final class Means implements ActiveService, Inspected, Supplier<String> {
    /** The partner of {@code calls}. */
    public static final int PARTNER = 0x5501;
    /** Octets after which {@code pauses} makes the source wait. */
    public static final int PIECE = 2 << 20;
    public static final int PAUSE_MILLIS = 100;

    private final AtomicInteger ticks = new AtomicInteger();
    private ServiceContext service;
    private Partner<?> partner;
    private volatile int level;
    private volatile boolean stopped;

    @Override
    public void start(ServiceContext context) {
        service = context;
        level = context.configuration().integer("level", 1, 1, 9);
        partner = context.partner(PARTNER, Supplier.class);
        if (context.name().equals("ticks")) {
            tick();
        }
    }

    private void tick() {
        ticks.incrementAndGet();
        if (level == 9) {
            throw new IllegalStateException("on purpose");
        }
        service.later(Duration.ofMillis(10), this::tick);
    }

    @Override
    public boolean reconfigure(Configuration configuration) {
        int changed = configuration.integer("level", 1, 1, 9);
        if (changed == 7) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, service.name() + ": level is 7");
        }
        level = changed;
        return true;
    }

    @Override
    public Map<String, Object> inspect(String what, Map<String, String> parameters) {
        if (what.equals("hangs")) {
            while (!parameters.isEmpty()) {
                Thread.onSpinWait();
            }
        }
        if (!what.equals("all")) {
            throw new AnepException(ErrorCode.NOT_FOUND, "there is no " + what);
        }
        Map<String, Object> kept = new TreeMap<>();
        service.store().all().forEach((key, value) -> kept.put(key, new String(value, StandardCharsets.US_ASCII)));
        return Map.of("kept", kept, "level", level, "ticks", ticks.get(), "node", service.node().name(), "port",
                service.node().address().getPort(), "asked", parameters);
    }

    /** A call that takes a moment; it must end well whatever is deployed meanwhile. */
    @Override
    public String get() {
        try {
            Thread.sleep(3);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return stopped ? "stopped" : service.version();
    }

    @Override
    public void stop() {
        stopped = true;
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        return switch (service.name()) {
            case "marks" -> new Marks(stream);
            case "pauses" -> new Pauses(stream);
            case "calls" -> new Calls(partner);
            default -> new Keeps(stream, service);
        };
    }

    private static String word(Packet packet) {
        return packet.payload().toString(StandardCharsets.US_ASCII);
    }

    private static ByteBuf word(String word) {
        return Unpooled.copiedBuffer(word, StandardCharsets.US_ASCII);
    }

    /** {@code NUMBER anything}: passes that with the number as its code point, and so it does from then on; {@code NUMBER soon …}: a moment after it. */
    private static final class Marks implements StreamHandler {
        private final StreamContext stream;

        Marks(StreamContext stream) {
            this.stream = stream;
        }

        @Override
        public Verdict onPacket(Packet packet, Output out) {
            String[] words = word(packet).split(" ");
            if (words.length > 2 && words[1].equals("soon")) {
                stream.later(java.time.Duration.ofMillis(50), (forward, back) -> forward.mark(Integer.parseInt(words[0])));
                return Verdict.PASS;
            }
            return mark(packet, out);
        }

        @Override
        public Verdict onReturn(Packet packet, Output out) {
            return mark(packet, out);
        }

        private static Verdict mark(Packet packet, Output out) {
            String[] words = word(packet).split(" ");
            if (words.length > 1) {
                out.mark(Integer.parseInt(words[0]));
            }
            return Verdict.PASS;
        }
    }

    /** Makes the source wait for a moment after each piece; one whose packet begins with {@code F} for ever, with {@code X} it fails then. */
    private static final class Pauses implements StreamHandler {
        private final StreamContext stream;
        private long seen;

        Pauses(StreamContext stream) {
            this.stream = stream;
        }

        @Override
        public Verdict onPacket(Packet packet, Output out) {
            int first = packet.payloadLength() == 0 ? 0 : packet.payload().getByte(packet.payload().readerIndex());
            seen += packet.payloadLength();
            if (first == 'F' || first == 'X') {
                stream.pauseSource(true);
                if (first == 'X') {
                    throw new IllegalStateException("on purpose");
                }
            } else if (seen >= PIECE) {
                seen -= PIECE;
                stream.pauseSource(true);
                stream.later(Duration.ofMillis(PAUSE_MILLIS), (forward, back) -> stream.pauseSource(false));
            }
            return Verdict.PASS;
        }
    }

    /** Answers each packet with what its partner says. */
    private record Calls(Partner<?> partner) implements StreamHandler {
        @Override
        public Verdict onPacket(Packet packet, Output out) {
            if (packet.payloadLength() == 0) {
                return Verdict.PASS;
            }
            Supplier<?> now = (Supplier<?>) partner.get();
            out.emitPayload(word((now == null ? "none" : now.get()) + "\n"));
            return Verdict.TAKEN;
        }
    }

    /** {@code KEY VALUE} is kept, and answered when it is. */
    private record Keeps(StreamContext stream, ServiceContext service) implements StreamHandler {
        @Override
        public Verdict onPacket(Packet packet, Output out) {
            String[] words = word(packet).split(" ");
            if (words.length < 2) {
                return Verdict.PASS;
            }
            service.store().put(words[0], words[1].getBytes(StandardCharsets.US_ASCII)).whenComplete((done, failure) ->
                    stream.execute((forward, back) -> forward.emitPayload(word((failure == null ? "kept " : "lost ") + words[0] + "\n"))));
            return Verdict.TAKEN;
        }
    }
}
