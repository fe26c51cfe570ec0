package org.tamanoir.node.stream;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Framing;
import org.tamanoir.anep.Packet;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.node.tcpstate.StreamTimes;
import org.tamanoir.node.transport.LoopMemory;
import org.tamanoir.node.transport.RunStage;
import org.tamanoir.node.transport.Stage;

/**
 * A heavy service in one direction of a stream: packets leave the event loop in batches, go through the handler on a thread of the
 * service, and what comes out returns to the loop. The order holds. What is under way to the service is bounded: beyond it the source
 * waits. What the service has made is bounded too, over all batches: beyond it the service waits for its receiver.
 */
final class HeavyStage extends RunStage {
    /** Octets under way at which the source is made to wait, and at which it may go on. */
    private static final int HIGH = 1024 * 1024;
    private static final int LOW = 512 * 1024;
    /** Octets that a service may always make before it waits, however little memory there is. */
    private static final int LEAST_MADE = 64 * 1024;
    /** A run below this size is copied, so that it does not keep a whole receive buffer while it waits. */
    private static final int SMALL = LoopMemory.BUFFER / 8;
    /** In place of a code point: what a task makes comes of no packet. */
    private static final int OF_TASK = -1;

    private final RunningService service;
    private final EventLoop loop;
    private final SerialQueue queue;
    private final ServiceWatch watch;
    private final FlowControl flow;
    private final LoopMemory memory;
    private final Made output = new Made();
    private final HandlerStage handler;
    private HeavyStage opposite;

    // On the event loop.
    /** The next heavy service on the way, whose room counts in place of the receiver's; and the one before, which waits for this one's. */
    private HeavyStage behind;
    private HeavyStage before;
    private final Packet view = new Packet();
    private List<ByteBuf> batch = new ArrayList<>();
    private int batchBytes;
    private long batchNanos;
    private int batchMark;
    private int underWay;
    private boolean busy;
    /** Octets that came out and have gone on since the service was last told. */
    private int gone;
    private boolean waiting;
    private boolean works;

    // On both sides.
    /** Octets that the service has made and that have not gone on, and how many there may be. */
    private final AtomicInteger ahead = new AtomicInteger();
    private volatile int most = HIGH;
    /** Octets that have left for the service since the stream began. */
    private volatile long sent;
    private volatile boolean closed;

    // On the service's threads.
    /** Batches that are not through yet, the one in hand first. */
    private final Deque<Batch> backlog = new ArrayDeque<>();
    private boolean suspended;
    /** Octets that the handler has seen since the stream began. */
    private long seen;

    /** @param behind the next heavy service on the way; null for none */
    HeavyStage(OpenHandler opened, boolean back, StreamInfo stream, EventLoop loop, SerialQueue queue, Stage next, HeavyStage behind,
               FlowControl flow, LoopMemory memory, ServiceWatch watch) {
        super(next);
        this.service = opened.service();
        this.loop = loop;
        this.queue = queue;
        this.watch = watch;
        this.flow = flow;
        this.memory = memory;
        this.behind = behind;
        this.handler = new HandlerStage(opened, back, stream, output, new OffLoop(), memory, null);
        if (behind == null) {
            flow.onRoom(this::resume);
        } else {
            behind.before = this;
        }
    }

    // On the event loop.

    @Override
    protected void run(ByteBuf packets, long nanos, int codePoint) {
        if (!batch.isEmpty() && batchMark != codePoint) {
            send();
        }
        if (batch.isEmpty()) {
            batchNanos = nanos;
            batchMark = codePoint;
        }
        int length = packets.readableBytes();
        ByteBuf kept = packets;
        if (length < SMALL) {
            kept = memory.copy(packets, packets.readerIndex(), length);
            packets.release();
        }
        batch.add(kept);
        batchBytes += length;
    }

    @Override
    public void flush() {
        close();
        send();
    }

    private void send() {
        if (batch.isEmpty()) {
            return;
        }
        most = Math.max(LEAST_MADE, Math.min(HIGH, 2 * memory.room()));
        Batch work = new Batch(new ArrayDeque<>(batch), batchBytes, batchNanos, false, null, batchMark);
        batch = new ArrayList<>();
        batchBytes = 0;
        underWay += work.bytes;
        sent += work.bytes;
        count(work.bytes);
        boolean crowded = service.queued(work.bytes);
        if (!busy && (underWay > most || crowded)) {
            busy = true;
            flow.busy(true);
        }
        submit(() -> take(work), () -> {
            service.queued(-work.bytes);
            work.release();
        });
    }

    @Override
    public void end() {
        flush();
        Batch last = new Batch(new ArrayDeque<>(), 0, 0, true, null, batchMark);
        submit(() -> take(last), last::release);
    }

    /** Any thread: runs a task of the handler behind what waits in this direction; {@code other} is its stage in the other one. */
    void task(HandlerTasks.Entry task, HeavyStage other) {
        opposite = other;
        Batch work = new Batch(new ArrayDeque<>(), 0, 0, false, task, OF_TASK);
        queue.execute(() -> take(work));
    }

    private void submit(Runnable task, Runnable otherwise) {
        try {
            queue.execute(task);
        } catch (RejectedExecutionException e) {
            otherwise.run();
            flow.failed(new AnepException(ErrorCode.STOPPING, "the service is being stopped"));
        }
    }

    private void deliver(List<ByteBuf> packets, int through, boolean last, boolean more, int mark) {
        int codePoint = mark == OF_TASK ? flow.codePoint() : mark;
        view.receivedNanos(System.nanoTime());
        for (ByteBuf run : packets) {
            gone += run.readableBytes();
            if (!closed) {
                Framing.each(run, run.readerIndex(), run.writerIndex(), view, packet -> {
                    next().packet(packet.codePoint(codePoint));
                    return !closed;
                });
            }
            run.release();
        }
        underWay -= through;
        service.queued(-through);
        waiting |= more;
        count(-through);
        if (!closed) {
            if (busy && underWay < Math.min(LOW, most)) {
                busy = false;
                flow.busy(false);
            }
            next().flush();
            if (before != null && hasRoom()) {
                before.resume();
            }
        }
        resume();
        if (last && !closed) {
            next().end();
        }
    }

    private boolean hasRoom() {
        return underWay < most;
    }

    /** The service is at work, and not only waiting for room for what it has made. */
    private void count(int more) {
        StreamTimes times = flow.times();
        if (times != null) {
            times.queued(more);
            boolean now = underWay > 0 && !waiting;
            if (now != works) {
                works = now;
                times.works(now);
            }
        }
    }

    /** Lets the service go on with what it has in hand if there is room for what it makes. */
    private void resume() {
        boolean room = behind != null ? behind.hasRoom() : flow.isDrained();
        if (room || closed) {
            ahead.addAndGet(-gone);
            gone = 0;
            handler.tellRoom();
            if (waiting) {
                waiting = false;
                count(0);
                submit(this::goOn, this::discard);
            }
        }
    }

    /** The stream is gone: what is still under way is thrown away. */
    void abandon() {
        closed = true;
        close();
        batch.forEach(ByteBuf::release);
        batch.clear();
        resume();
    }

    // On a thread of the service.

    private void take(Batch work) {
        backlog.add(work);
        if (!suspended) {
            goOn();
        }
    }

    /** Whether so much has been made that it has to go on first. */
    private boolean isAhead() {
        return ahead.get() + output.bytes >= most;
    }

    /** Works until nothing is left, or until so much has been made that it has to go on first. */
    private void goOn() {
        suspended = false;
        handler.runOn(watch.ofThisThread());
        while (!suspended && !backlog.isEmpty()) {
            Batch work = backlog.peek();
            boolean through = work.through();
            handler.flush();
            // Tasks come whether or not there is room, so each that makes something waits until it has been looked for.
            suspended = !through || work.task != null && output.bytes > 0 || isAhead();
            if (through) {
                backlog.poll();
            }
            hand(through ? work.bytes : 0, suspended, work.mark);
        }
    }

    /** Runs a task of the handler; what it makes in the other direction leaves there. */
    private void runTask(HandlerTasks.Entry task) {
        handler.task(task, opposite.handler);
        opposite.handler.flush();
        if (opposite.output.hasNews()) {
            opposite.suspended |= opposite.output.bytes > 0;
            opposite.hand(0, opposite.suspended, OF_TASK);
        }
    }

    private void hand(int through, boolean more, int mark) {
        boolean last = output.takeEnd();
        ahead.addAndGet(output.bytes);
        List<ByteBuf> made = output.take();
        try {
            loop.execute(() -> deliver(made, through, last, more, mark));
        } catch (RejectedExecutionException e) {
            made.forEach(ByteBuf::release);
            discard();
        }
    }

    private void discard() {
        backlog.forEach(work -> {
            service.queued(-work.bytes);
            work.release();
        });
        backlog.clear();
    }

    /** Packets that left the loop together, or the end of the direction, or a task. */
    private final class Batch implements Framing.Visitor {
        private final Deque<ByteBuf> pieces;
        private final int bytes;
        private final boolean end;
        private final HandlerTasks.Entry task;
        /** The code point with which its packets came, and with which leaves what is made of them. */
        private final int mark;
        private final Packet view = new Packet();

        Batch(Deque<ByteBuf> pieces, int bytes, long nanos, boolean end, HandlerTasks.Entry task, int mark) {
            this.mark = mark;
            this.pieces = pieces;
            this.bytes = bytes;
            this.end = end;
            this.task = task;
            view.receivedNanos(nanos);
        }

        /** Shows the packets to the handler; false if it stopped before the last because enough was made. */
        boolean through() {
            while (!pieces.isEmpty()) {
                ByteBuf piece = pieces.peek();
                if (piece.isReadable() && !closed) {
                    if (isAhead()) {
                        return false;
                    }
                    piece.readerIndex(Framing.each(piece, piece.readerIndex(), piece.writerIndex(), view, this));
                } else {
                    pieces.poll().release();
                }
            }
            if (end && !closed) {
                handler.end();
            }
            if (task != null && !closed) {
                runTask(task);
            }
            return true;
        }

        @Override
        public boolean packet(Packet packet) {
            seen += packet.length();
            handler.packet(packet);
            return !closed && !isAhead();
        }

        void release() {
            pieces.forEach(ByteBuf::release);
            pieces.clear();
        }
    }

    /** What the handler lets out, until it is handed to the loop. */
    private static final class Made extends RunStage {
        private List<ByteBuf> runs = new ArrayList<>();
        private int bytes;
        private boolean ended;
        private boolean toldEnd;

        Made() {
            super(null);
        }

        @Override
        protected void run(ByteBuf packets, long nanos, int codePoint) {
            runs.add(packets);
            bytes += packets.readableBytes();
        }

        @Override
        public void end() {
            close();
            ended = true;
        }

        @Override
        public void mark(int codePoint) {
            // A heavy service sets none.
        }

        boolean hasNews() {
            return bytes > 0 || ended && !toldEnd;
        }

        /** Whether the direction has come to its end since the last time. */
        boolean takeEnd() {
            boolean now = ended && !toldEnd;
            toldEnd = ended;
            return now;
        }

        List<ByteBuf> take() {
            List<ByteBuf> taken = runs;
            runs = new ArrayList<>();
            bytes = 0;
            return taken;
        }
    }

    /** The flow as the handler sees it from its own thread. */
    private final class OffLoop implements FlowControl {
        @Override
        public boolean hasRoom() {
            return !isAhead();
        }

        @Override
        public boolean isDrained() {
            return hasRoom();
        }

        @Override
        public double waitingInput() {
            return part(sent - seen);
        }

        @Override
        public double waitingOutput() {
            return part(ahead.get() + output.bytes);
        }

        private double part(long octets) {
            return Math.min(1, (double) octets / most);
        }

        @Override
        public void onRoom(Runnable told) {
            throw new IllegalStateException("a handler asks for room");
        }

        @Override
        public void busy(boolean unused) {
            throw new IllegalStateException("a handler has no batches");
        }

        @Override
        public void pause(boolean unused, boolean forRate) {
            throw new IllegalStateException("a source waits for the direction of its stream");
        }

        @Override
        public void finishes() {
            flow.finishes();
        }

        @Override
        public int codePoint() {
            return 0;
        }

        @Override
        public void failed(AnepException why) {
            flow.failed(why);
        }
    }
}
