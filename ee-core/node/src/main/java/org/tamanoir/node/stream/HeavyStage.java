package org.tamanoir.node.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.tamanoir.anep.Framing;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.node.transport.PacketRuns;
import org.tamanoir.node.transport.PacketSink;

/**
 * A heavy service in one direction of a stream: packets leave the event loop in batches, go through the handler on a thread of the
 * service, and what comes out returns to the loop. The order holds, and what is under way is bounded: beyond it the peer waits.
 */
final class HeavyStage extends PacketRuns {
    /** Octets under way at which the peer is made to wait, and at which it may go on. */
    private static final int HIGH = 1024 * 1024;
    private static final int LOW = 512 * 1024;
    /** A slice below this size is copied: it would keep a whole receive buffer while it waits, and only its own octets are counted. */
    private static final int SMALL = 8 * 1024;

    private final EventLoop loop;
    private final SerialQueue queue;
    private final ServiceWatch watch;
    private final PacketSink next;
    private final Way way;
    private final Gathered output = new Gathered();
    private final HandlerStage handler;
    private List<ByteBuf> batch = new ArrayList<>();
    private int batchBytes;
    private long batchNanos;
    private int underWay;
    private boolean busy;
    private volatile boolean closed;

    HeavyStage(OpenHandler opened, boolean back, StreamInfo stream, EventLoop loop, SerialQueue queue, PacketSink next, Way way,
               ServiceWatch watch) {
        this.loop = loop;
        this.queue = queue;
        this.watch = watch;
        this.next = next;
        this.way = way;
        this.handler = new HandlerStage(opened, back, stream, output, new OffLoop(), null);
    }

    // On the event loop.

    @Override
    protected void run(ByteBuf whole, int offset, int length, long read) {
        if (batch.isEmpty()) {
            batchNanos = read;
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
        List<ByteBuf> work = batch;
        int bytes = batchBytes;
        long nanos = batchNanos;
        batch = new ArrayList<>();
        batchBytes = 0;
        underWay += bytes;
        if (!busy && underWay > HIGH) {
            busy = true;
            way.busy(true);
        }
        submit(() -> work(work, bytes, nanos), () -> work.forEach(ByteBuf::release));
    }

    @Override
    public void end() {
        flush();
        submit(this::workEnd, () -> { });
    }

    private void submit(Runnable task, Runnable otherwise) {
        try {
            queue.execute(task);
        } catch (RejectedExecutionException e) {
            otherwise.run();
            way.failed(new AnepException(ErrorCode.STOPPING, "the service is being stopped"));
        }
    }

    private void deliver(List<ByteBuf> packets, int bytes, boolean last) {
        for (ByteBuf whole : packets) {
            if (!closed) {
                each(whole, next, System.nanoTime());
                next.settle();
            }
            whole.release();
        }
        underWay -= bytes;
        if (closed) {
            return;
        }
        if (busy && underWay < LOW) {
            busy = false;
            way.busy(false);
        }
        next.flush();
        if (last) {
            next.end();
        }
    }

    /** The stream is gone: what is still under way is thrown away. */
    void close() {
        closed = true;
        batch.forEach(ByteBuf::release);
        batch.clear();
    }

    // On a thread of the service.

    private void work(List<ByteBuf> packets, int bytes, long nanos) {
        handler.runOn(watch.ofThisThread());
        for (ByteBuf whole : packets) {
            if (!closed) {
                each(whole, handler, nanos);
                handler.settle();
            }
            whole.release();
        }
        handler.flush();
        hand(bytes, false);
    }

    private void workEnd() {
        handler.runOn(watch.ofThisThread());
        if (!closed) {
            handler.end();
        }
        hand(0, output.ended);
    }

    private void hand(int bytes, boolean last) {
        List<ByteBuf> made = output.take();
        try {
            loop.execute(() -> deliver(made, bytes, last));
        } catch (RejectedExecutionException e) {
            made.forEach(ByteBuf::release);
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

    /** What the handler lets out during one batch. */
    private static final class Gathered extends PacketRuns {
        private List<ByteBuf> packets = new ArrayList<>();
        private int bytes;
        private boolean ended;

        @Override
        protected void run(ByteBuf whole, int offset, int length, long read) {
            packets.add(whole.retainedSlice(offset, length));
            bytes += length;
        }

        @Override
        public void flush() {
            // The batch is handed over as a whole.
        }

        @Override
        public void end() {
            ended = true;
        }

        private List<ByteBuf> take() {
            List<ByteBuf> taken = packets;
            packets = new ArrayList<>();
            bytes = 0;
            return taken;
        }
    }

    /** The way as the handler sees it from its own thread. */
    private final class OffLoop implements Way {
        @Override
        public boolean isWritable() {
            return output.bytes < HIGH;
        }

        @Override
        public void busy(boolean unused) {
            throw new IllegalStateException("a handler has no batches");
        }

        @Override
        public void failed(AnepException why) {
            way.failed(why);
        }
    }
}
