package org.tamanoir.node.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.Framing;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.node.transport.PacketRuns;
import org.tamanoir.node.transport.PacketSink;

/**
 * A heavy service in one direction of a stream: packets leave the event loop in batches, go through the handler on a thread of the
 * service, and what comes out returns to the loop. The order holds, and what is under way is bounded: beyond it the peer waits, and a
 * service that makes much of little waits for its receiver.
 */
final class HeavyStage extends PacketRuns {
    /** Octets under way at which the peer is made to wait, and at which it may go on. */
    private static final int HIGH = 1024 * 1024;
    private static final int LOW = 512 * 1024;
    /** A slice below this size is copied: it would keep a whole receive buffer while it waits, and only its own octets are counted. */
    private static final int SMALL = 8 * 1024;
    /** In place of a code point: what a task makes comes of no packet. */
    private static final int OF_TASK = -1;
    /** How often a service that waits for room looks again. */
    private static final int RESUME_MILLIS = 2;

    private final RunningService service;
    private final EventLoop loop;
    private final SerialQueue queue;
    private final ServiceWatch watch;
    private final PacketSink next;
    private final Way way;
    private final Marking marks;
    private final GatheredPackets output = new GatheredPackets();
    private final HandlerStage handler;
    private HeavyStage opposite;
    private List<ByteBuf> batch = new ArrayList<>();
    private int batchBytes;
    private long batchNanos;
    private int batchMark;
    private int underWay;
    private boolean busy;
    /** On the loop: the service has made enough for now, and goes on when there is room. */
    private boolean waiting;
    private boolean looksAgain;
    /** On the service's threads: batches that are not through yet, the one in hand first. */
    private final Deque<Batch> backlog = new ArrayDeque<>();
    private boolean suspended;
    private volatile boolean closed;

    HeavyStage(OpenHandler opened, boolean back, StreamInfo stream, EventLoop loop, SerialQueue queue, PacketSink next, Way way,
               ServiceWatch watch, Marking marks) {
        this.marks = marks;
        this.service = opened.service();
        this.loop = loop;
        this.queue = queue;
        this.watch = watch;
        this.next = next;
        this.way = way;
        this.handler = new HandlerStage(opened, back, stream, output, new OffLoop(), null, null);
    }

    // On the event loop.

    @Override
    protected void run(ByteBuf whole, int offset, int length, long read) {
        if (!batch.isEmpty() && batchMark != marks.now()) {
            flush();
        }
        if (batch.isEmpty()) {
            batchNanos = read;
            batchMark = marks.now();
        }
        batch.add(length < SMALL ? ByteBufAllocator.DEFAULT.directBuffer(length).writeBytes(whole, offset, length)
                : whole.retainedSlice(offset, length));
        batchBytes += length;
    }

    @Override
    public void flush() {
        if (batch.isEmpty()) {
            return;
        }
        Batch work = new Batch(new ArrayDeque<>(batch), batchBytes, batchNanos, false, null, batchMark);
        batch = new ArrayList<>();
        batchBytes = 0;
        underWay += work.bytes;
        boolean crowded = service.queued(work.bytes);
        if (!busy && (underWay > HIGH || crowded)) {
            busy = true;
            way.busy(true);
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
            way.failed(new AnepException(ErrorCode.STOPPING, "the service is being stopped"));
        }
    }

    private void deliver(List<ByteBuf> packets, int bytes, boolean last, boolean more, int mark) {
        if (mark == OF_TASK) {
            marks.begin();
        } else {
            marks.set(mark);
        }
        for (ByteBuf whole : packets) {
            if (!closed) {
                each(whole, next, System.nanoTime());
                next.settle();
            }
            whole.release();
        }
        underWay -= bytes;
        service.queued(-bytes);
        waiting = more;
        if (closed) {
            resume();
            return;
        }
        if (busy && underWay < LOW) {
            busy = false;
            way.busy(false);
        }
        next.flush();
        resume();
        if (last) {
            next.end();
        }
    }

    /** Lets the service go on with what it has in hand when there is room for what it makes. */
    private void resume() {
        if (waiting && (closed || next.hasRoom())) {
            waiting = false;
            submit(this::goOn, this::discard);
        } else if (waiting && !looksAgain) {
            looksAgain = true;
            loop.schedule(this::lookAgain, RESUME_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void lookAgain() {
        looksAgain = false;
        resume();
    }

    @Override
    public boolean hasRoom() {
        return underWay < HIGH;
    }

    /** The stream is gone: what is still under way is thrown away. */
    void close() {
        closed = true;
        resume();
        batch.forEach(ByteBuf::release);
        batch.clear();
    }

    // On a thread of the service.

    private void take(Batch work) {
        backlog.add(work);
        if (!suspended) {
            goOn();
        }
    }

    /** Works until nothing is left, or until so much has been made that it has to leave first. */
    private void goOn() {
        suspended = false;
        handler.runOn(watch.ofThisThread());
        while (!suspended && !backlog.isEmpty()) {
            Batch work = backlog.peek();
            boolean through = work.through();
            handler.flush();
            // Tasks come whether or not there is room, so each that makes something waits until it has been looked for.
            suspended = !through || work.task != null && output.bytes() > 0;
            if (through) {
                backlog.poll();
            }
            hand(through ? work.bytes : 0, suspended, work.mark);
        }
    }

    /** Runs a task of the handler; what it makes in the other direction leaves there. */
    private void runTask(HandlerTasks.Entry task) {
        handler.task(task, opposite.handler);
        if (opposite.output.hasNews()) {
            opposite.suspended |= opposite.output.bytes() > 0;
            opposite.hand(0, opposite.suspended, OF_TASK);
        }
    }

    private void hand(int bytes, boolean more, int mark) {
        boolean last = output.takeEnd();
        List<ByteBuf> made = output.take();
        try {
            loop.execute(() -> deliver(made, bytes, last, more, mark));
        } catch (RejectedExecutionException e) {
            made.forEach(ByteBuf::release);
            discard();
        }
    }

    private void discard() {
        backlog.forEach(batch -> {
            service.queued(-batch.bytes);
            batch.release();
        });
        backlog.clear();
    }

    /** Packets that left the loop together, or the end of the direction, or a task. */
    private final class Batch {
        private final Deque<ByteBuf> pieces;
        private final int bytes;
        private final long nanos;
        private final boolean end;
        private final HandlerTasks.Entry task;
        /** The code point with which its packets came, and with which leaves what is made of them. */
        private final int mark;

        Batch(Deque<ByteBuf> pieces, int bytes, long nanos, boolean end, HandlerTasks.Entry task, int mark) {
            this.mark = mark;
            this.pieces = pieces;
            this.bytes = bytes;
            this.nanos = nanos;
            this.end = end;
            this.task = task;
        }

        /** Shows the packets to the handler; false if it stopped before the last because enough was made. */
        boolean through() {
            while (!pieces.isEmpty()) {
                ByteBuf piece = pieces.peek();
                while (piece.isReadable() && !closed) {
                    if (output.bytes() >= HIGH) {
                        handler.settle();
                        return false;
                    }
                    int length = Framing.packetLength(piece, piece.readerIndex(), piece.readableBytes());
                    handler.packet(piece, piece.readerIndex(), length, nanos);
                    piece.skipBytes(length);
                }
                handler.settle();
                pieces.poll().release();
            }
            if (end && !closed) {
                handler.end();
            }
            if (task != null && !closed) {
                runTask(task);
            }
            return true;
        }

        void release() {
            pieces.forEach(ByteBuf::release);
            pieces.clear();
        }
    }

    private static void each(ByteBuf whole, PacketSink sink, long nanos) {
        int at = whole.readerIndex();
        int end = whole.writerIndex();
        while (at < end) {
            int length = Framing.packetLength(whole, at, end - at);
            sink.packet(whole, at, length, nanos);
            at += length;
        }
    }

    /** The way as the handler sees it from its own thread. */
    private final class OffLoop implements Way {
        @Override
        public boolean isWritable() {
            return output.bytes() < HIGH;
        }

        @Override
        public void busy(boolean unused) {
            throw new IllegalStateException("a handler has no batches");
        }

        @Override
        public void pause(boolean unused) {
            throw new IllegalStateException("a source waits for the way of its stream");
        }

        @Override
        public void failed(AnepException why) {
            way.failed(why);
        }
    }
}
