package org.tamanoir.tests.services;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Output;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Task;
import org.tamanoir.service.Verdict;

/** A service that does something between packets: the thing that its name says. */
public final class Clockwork implements ActiveService {
    /** Octets of what {@code floods} and {@code fills} emit, the number of the packet in front. */
    public static final int PIECE = 60_000;

    private final LongAdder ran = new LongAdder();
    private final LongAdder discarded = new LongAdder();
    private String name;
    private StreamContext first;

    @Override
    public void start(ServiceContext service) {
        name = service.name();
        service.metrics().counter("ran", "Tasks that ran.", ran::sum);
        service.metrics().counter("discarded", "Tasks that were discarded.", discarded::sum);
    }

    @Override
    public synchronized StreamHandler open(StreamContext stream) {
        if (first == null) {
            first = stream;
        }
        Handler handler = new Handler(stream);
        switch (name) {
            case "floods" -> stream.later(Duration.ofMillis(1), handler::flood);
            case "fills" -> stream.later(Duration.ofMillis(1), handler::fill);
            default -> { }
        }
        return handler;
    }

    private synchronized StreamContext first() {
        return first;
    }

    /** Emits a packet, if it has one, and counts what becomes of it. */
    private final class Counted implements Task {
        private final Packet packet;

        Counted(Packet packet) {
            this.packet = packet;
        }

        @Override
        public void run(Output forward, Output back) {
            if (packet != null) {
                forward.emit(packet);
                packet.release();
            }
            ran.increment();
        }

        @Override
        public void discarded() {
            if (packet != null) {
                packet.release();
            }
            discarded.increment();
        }
    }

    /** What it does to one stream. */
    private final class Handler implements StreamHandler {
        private final StreamContext stream;
        /** Calls never overlap, and those of an event loop come on one thread. */
        private final AtomicBoolean inside = new AtomicBoolean();
        private Thread thread;
        private int pieces;

        Handler(StreamContext stream) {
            this.stream = stream;
        }

        @Override
        public Verdict onPacket(Packet packet, Output out) {
            if (packet.payloadLength() == 0) {
                return Verdict.PASS;
            }
            enter();
            switch (name) {
                case "ticks" -> tick(packet.payload().toString(StandardCharsets.US_ASCII));
                case "joins" -> {
                    hand(first(), packet);
                    inside.set(false);
                    return Verdict.TAKEN;
                }
                case "loops" -> stream.later(Duration.ofMillis(5), (forward, back) -> Mischief.loop());
                case "throws" -> stream.later(Duration.ofMillis(5), (forward, back) -> {
                    throw new IllegalStateException("on purpose");
                });
                case "waits" -> stream.later(Duration.ofMillis(300), counted());
                case "too-many" -> {
                    for (int i = 0; i <= StreamContext.MOST_TIMERS; i++) {
                        stream.later(Duration.ofHours(1), counted());
                    }
                }
                default -> { }
            }
            inside.set(false);
            return Verdict.PASS;
        }

        /** The word comes again 30 ms later, in both directions, and another task says that it has come. */
        private void tick(String word) {
            long asked = stream.nanoTime();
            stream.later(Duration.ofMillis(30), (forward, back) -> {
                enter();
                say(forward, stream.nanoTime() - asked < 30_000_000 ? "too soon " : "later " + word);
                say(back, "answer " + word);
                stream.execute((again, unused) -> say(again, "then " + word));
                inside.set(false);
            });
        }

        private void enter() {
            if (!inside.compareAndSet(false, true)) {
                throw new IllegalStateException("called while another call runs");
            }
            if (thread == null || !Thread.currentThread().getName().contains("loop")) {
                thread = Thread.currentThread();
            }
            if (thread != Thread.currentThread()) {
                throw new IllegalStateException("called on " + Thread.currentThread() + " and on " + thread);
            }
        }

        /** The first stream of the service emits it, whatever thread that is on. */
        private void hand(StreamContext to, Packet packet) {
            Counted task = new Counted(packet.retain());
            if (!to.execute(task)) {
                task.discarded();
            }
        }

        private Task counted() {
            return new Counted(null);
        }

        /** Emits without looking at the answer. */
        private void flood(Output forward, Output back) {
            emit(forward);
            stream.later(Duration.ofMillis(1), this::flood);
        }

        /** Emits while there is room, at most 100 pieces a millisecond. */
        private void fill(Output forward, Output back) {
            for (int i = 0; i < 100 && forward.isWritable(); i++) {
                emit(forward);
            }
            stream.later(Duration.ofMillis(1), this::fill);
        }

        private void emit(Output out) {
            ran.increment();
            out.emitPayload(out.allocator().buffer(PIECE).writeInt(pieces++).writeZero(PIECE - Integer.BYTES));
        }

        @Override
        public void onEnd(Output out) {
            if (name.equals("owes")) {
                out.holdEnd();
                say(out, "owes ");
                stream.later(Duration.ofMillis(200), (forward, back) -> {
                    forward.releaseEnd();
                    say(forward, "paid");
                });
            }
        }

        private static void say(Output out, String word) {
            ByteBuf payload = out.allocator().buffer();
            payload.writeCharSequence(word, StandardCharsets.US_ASCII);
            out.emitPayload(payload);
        }
    }
}
