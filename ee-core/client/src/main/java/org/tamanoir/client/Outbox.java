package org.tamanoir.client;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.Future;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.client.wire.Packetizer;

/**
 * The way out of a stream: cuts what is sent into packets and keeps what the socket has not taken below {@value #WINDOW} octets. One
 * send at a time; it completes when its last packet has been taken into the window.
 */
final class Outbox {
    /** Octets, headers included, that may wait for the socket; a batch more at most. */
    static final int WINDOW = 1 << 20;
    /** Octets that are written in one piece. */
    static final int BATCH = 256 << 10;
    /** A payload of a direct buffer that is larger leaves as a slice behind its header; a smaller one is cheaper to copy. */
    private static final int WORTH_A_SLICE = 4096;

    private final Link link;
    private final Packetizer packets;
    private final Pacer pacer;
    private final Consumer<Throwable> onFailure;
    private long inFlight;
    private long sentOctets;
    private Job pending;
    private boolean pumping;
    private boolean waiting;
    private boolean finished;
    private AnepException failure;

    /** One send: what is left of its data. */
    private static final class Job {
        private final ByteBuf data;
        private final boolean lent;
        private final CompletableFuture<Void> taken = new CompletableFuture<>();

        Job(ByteBuf data, boolean lent) {
            this.data = data;
            this.lent = lent;
        }
    }

    Outbox(Link link, Packetizer packets, Pacer pacer, Consumer<Throwable> onFailure) {
        this.link = link;
        this.packets = packets;
        this.pacer = pacer;
        this.onFailure = onFailure;
    }

    /** Whether buffers laid out by {@link FileSender} may go out as they are. */
    boolean takesBatches() {
        return !link.datagrams() && !link.keeps() && !packets.needsWhole() && pacer == null;
    }

    Packetizer packets() {
        return packets;
    }

    /**
     * Takes the reference of {@code data}. The stage completes when all of it is in the window, or fails with the stream.
     *
     * @param lent whether its octets may change then: what is in the window is a copy
     */
    CompletableFuture<Void> send(ByteBuf data, boolean lent) {
        Job job = new Job(data, lent);
        synchronized (this) {
            if (failure != null || finished || pending != null) {
                data.release();
                if (failure == null) {
                    throw new IllegalStateException(finished ? "the stream is finished" : "the send before has not completed");
                }
                job.taken.completeExceptionally(failure);
                return job.taken;
            }
            pending = job;
        }
        pump();
        return job.taken;
    }

    /** Queues whole packets that the caller has laid out and counted; they are more than the window, if the caller lets them be. */
    Future<?> sendBatch(ByteBuf batch, int payloadOctets) {
        int size = batch.readableBytes();
        synchronized (this) {
            inFlight += size;
            sentOctets += payloadOctets;
        }
        Future<?> written = link.write(batch);
        written.addListener(done -> released(size, done));
        link.flush();
        return written;
    }

    /** Sends the end after everything else; nothing can be sent any more. */
    CompletableFuture<Void> finish() {
        synchronized (this) {
            if (pending != null) {
                throw new IllegalStateException("the send before has not completed");
            }
            if (failure != null) {
                return CompletableFuture.failedFuture(failure);
            }
            finished = true;
        }
        return link.finish(packets);
    }

    /** Fails what is under way and all that comes. */
    void fail(AnepException cause) {
        Job job;
        synchronized (this) {
            failure = cause;
            job = pending;
            pending = null;
            if (job != null && !pumping) {
                job.data.release();
            }
        }
        if (job != null) {
            job.taken.completeExceptionally(cause);
        }
    }

    synchronized boolean isFinished() {
        return finished;
    }

    synchronized long inFlight() {
        return inFlight;
    }

    synchronized long sentOctets() {
        return sentOctets;
    }

    private void released(int octets, Future<?> done) {
        boolean more;
        synchronized (this) {
            inFlight -= octets;
            more = pending != null;
        }
        if (!done.isSuccess()) {
            onFailure.accept(done.cause());
        } else if (more) {
            pump();
        }
    }

    /**
     * Moves the pending send on as far as the window and the rate allow. On the loop alone: what another thread writes waits in the loop's queue, and a
     * write from the loop would overtake it.
     */
    private void pump() {
        if (link.loop().inEventLoop()) {
            pumpHere();
        } else {
            link.loop().execute(this::pumpHere);
        }
    }

    private void pumpHere() {
        Job job;
        synchronized (this) {
            job = pending;
            if (job == null || pumping || waiting) {
                return;
            }
            pumping = true;
        }
        boolean done = false;
        boolean failed = true;
        try {
            done = write(job.data, job.lent);
            failed = false;
        } catch (RuntimeException e) {
            onFailure.accept(e);
        } finally {
            leave(job, done, failed);
        }
    }

    private void leave(Job job, boolean done, boolean threw) {
        boolean again;
        synchronized (this) {
            pumping = false;
            boolean failed = pending != job;
            if (done && !failed) {
                pending = null;
            }
            if (done || failed) {
                job.data.release();
            }
            // The window may have opened between the last look and the lock.
            again = !done && !failed && !threw && inFlight < WINDOW && !waiting;
        }
        if (done) {
            job.taken.complete(null);
        } else if (again) {
            link.loop().execute(this::pumpHere);
        }
    }

    /** True when all of the data is written. */
    private boolean write(ByteBuf data, boolean lent) {
        boolean wrote = false;
        while (data.isReadable() && hasRoom() && mayLeave()) {
            if (lent || link.datagrams() || link.keeps() || packets.needsWhole() || !data.isDirect() || data.readableBytes() < WORTH_A_SLICE
                    || packets.maxPayload() < WORTH_A_SLICE) {
                writeCopied(data);
            } else {
                writeSliced(data);
            }
            wrote = true;
        }
        if (wrote) {
            link.flush();
        }
        return !data.isReadable();
    }

    private synchronized boolean hasRoom() {
        return inFlight < WINDOW && failure == null;
    }

    private boolean mayLeave() {
        if (pacer == null) {
            return true;
        }
        long wait = pacer.waitNanos(System.nanoTime());
        if (wait == 0) {
            return true;
        }
        synchronized (this) {
            waiting = true;
        }
        link.loop().schedule(() -> {
            synchronized (this) {
                waiting = false;
            }
            pump();
        }, wait, TimeUnit.NANOSECONDS);
        return false;
    }

    /** One datagram, or a batch of packets in one buffer. */
    private void writeCopied(ByteBuf data) {
        int payload = packets.maxPayload();
        int most = link.datagrams() || pacer != null ? 1 : Math.max(1, BATCH / (payload + packets.headerLength()));
        int count = (int) Math.min(most, (data.readableBytes() + (long) payload - 1) / payload);
        int octets = (int) Math.min(data.readableBytes(), (long) count * payload);
        ByteBuf batch = link.allocator().directBuffer(octets + count * packets.headerLength());
        for (int left = octets; left > 0; left -= payload) {
            packets.write(batch, data, Math.min(left, payload));
        }
        sent(batch, octets);
    }

    /** One packet: its header, and its payload where it is. */
    private void writeSliced(ByteBuf data) {
        int octets = Math.min(data.readableBytes(), packets.maxPayload());
        ByteBuf header = link.allocator().directBuffer(packets.headerLength());
        packets.writeHeader(header, octets);
        ByteBuf payload = data.readRetainedSlice(octets);
        sent(header, 0);
        sent(payload, octets);
    }

    private void sent(ByteBuf buffer, int payloadOctets) {
        int size = buffer.readableBytes();
        synchronized (this) {
            inFlight += size;
            sentOctets += payloadOctets;
        }
        if (pacer != null) {
            pacer.sent(size);
        }
        link.write(buffer).addListener(done -> released(size, done));
    }
}
