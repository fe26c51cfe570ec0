package org.tamanoir.services.transcode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.service.Output;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.Task;

/**
 * Where a live stream goes to one receiver. One that is too slow loses pictures up to the next key frame, and keeps nobody waiting; at most {@link #MOST_OCTETS} wait for it.
 */
final class Outlet {
    static final int MOST_OCTETS = 2 << 20;
    /** Runs that wait: fewer than a stream may have tasks, so that the end finds room. */
    private static final int MOST_RUNS = StreamContext.MOST_TASKS / 2;

    private final StreamContext stream;
    private final boolean forward;
    private final LiveCounters counters;
    private final KeyFrameGate gate = new KeyFrameGate();
    private final AtomicInteger octets = new AtomicInteger();
    private final AtomicInteger runs = new AtomicInteger();
    private volatile boolean full;

    /** @param forward whether it goes on toward the destination of the stream, and not back to its source */
    Outlet(StreamContext stream, boolean forward, LiveCounters counters) {
        this.stream = stream;
        this.forward = forward;
        this.counters = counters;
    }

    private Output way(Output toDestination, Output toSource) {
        return forward ? toDestination : toSource;
    }

    /** Sends a run, or drops it. Any thread. @param packets lent @param tables what a decoder has to see in front of a key frame */
    synchronized void offer(ByteBuf packets, boolean key, Supplier<byte[]> tables) {
        int length = packets.readableBytes();
        boolean room = !full && runs.get() < MOST_RUNS && octets.get() + length <= MOST_OCTETS;
        if (!gate.passes(key, room, length)) {
            counters.dropped(length);
            return;
        }
        ByteBuf run = gate.hasJustOpened() ? Unpooled.wrappedBuffer(Unpooled.wrappedBuffer(tables.get()), packets.retainedSlice()) : packets.retainedSlice();
        octets.addAndGet(run.readableBytes());
        runs.incrementAndGet();
        Sent sent = new Sent(run);
        if (!stream.execute(sent)) {
            sent.discarded();
            gate.shut();
        }
    }

    /** What comes next is another stream: it begins with a key frame and tables. */
    synchronized void begin() {
        gate.shut();
    }

    /** There is room again. */
    void room() {
        full = false;
    }

    synchronized long dropped() {
        return gate.dropped();
    }

    /** Nothing more comes. @param why null for a good end */
    void end(AnepException why) {
        stream.execute((toDestination, toSource) -> {
            if (why != null) {
                throw why;
            }
            if (forward) {
                toDestination.releaseEnd();
            } else {
                toSource.finish();
                toDestination.finish();
            }
        });
    }

    private final class Sent implements Task {
        private final ByteBuf run;
        private final int length;

        Sent(ByteBuf run) {
            this.run = run;
            this.length = run.readableBytes();
        }

        private void settle() {
            octets.addAndGet(-length);
            runs.decrementAndGet();
        }

        @Override
        public void run(Output toDestination, Output toSource) {
            settle();
            if (!way(toDestination, toSource).emitPayload(run)) {
                full = true;
            }
        }

        @Override
        public void discarded() {
            settle();
            run.release();
        }
    }
}
