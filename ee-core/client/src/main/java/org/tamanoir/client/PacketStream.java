package org.tamanoir.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.locks.ReentrantLock;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.client.wire.Packetizer;

/**
 * A stream, seen from one of its ends: packets out, packets in, each side finished on its own.
 *
 * <p>Blocking methods wait while the way is full or nothing has come, and refuse to be called on the event loop. What has not left and
 * what nobody has taken are bounded: about a megabyte each. One thread may send while another receives. After an
 * {@code InterruptedException} some of a send may have left: the stream is good for {@link #close} only.
 *
 * <p>Errors are {@link AnepException}s with a code: {@link StreamRefusedException} with what a node or the far end said, EE-211 if the
 * connection was lost, EE-101 to EE-109 if what came is no good. Every later call throws the same again.
 */
public abstract class PacketStream implements AutoCloseable {
    private static final int CHUNK = 64 << 10;

    final StreamState state;
    private final ReentrantLock sending = new ReentrantLock();

    PacketStream(Link link) {
        this.state = new StreamState(link);
    }

    /** The stream's id; 0 if its source gave it none. */
    public abstract long id();

    /** The next hop, or whoever sent the stream here. */
    public final InetSocketAddress peer() {
        return state.link().peer();
    }

    public final InetSocketAddress local() {
        return state.link().local();
    }

    /**
     * Sends octets, cut into packets; waits while the way is full.
     *
     * @param data the reference is given away, also if this throws; nothing is sent of an empty buffer
     */
    public final void send(ByteBuf data) throws InterruptedException {
        send(data, false);
    }

    private void send(ByteBuf data, boolean lent) throws InterruptedException {
        try {
            sending.lockInterruptibly();
        } catch (InterruptedException e) {
            data.release();
            throw e;
        }
        try {
            await(state.outbox().send(data, lent));
        } finally {
            sending.unlock();
        }
    }

    /** Sends octets; they are taken when this returns. */
    public final void send(byte[] data) throws InterruptedException {
        send(Unpooled.wrappedBuffer(data));
    }

    /** Sends the remaining octets; they are taken when this returns. The buffer's position stays. */
    public final void send(ByteBuffer data) throws InterruptedException {
        send(Unpooled.wrappedBuffer(data), true);
    }

    /**
     * Sends octets without waiting. The stage completes when the way has taken them; send the next after that.
     *
     * @param data the reference is given away; do not change its octets before the stage completes
     * @throws IllegalStateException if the send before has not completed: waiting data would have no bound
     */
    public final CompletionStage<Void> sendAsync(ByteBuf data) {
        return state.outbox().send(data, false).minimalCompletionStage();
    }

    /** Sends a whole file; see {@link #sendFile(FileChannel)}. */
    public final long sendFile(Path file) throws IOException, InterruptedException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return sendFile(channel);
        }
    }

    /**
     * Sends from the channel's position to its end; over TCP what was read is not copied again. A pipe's channel will do.
     *
     * @return octets sent
     */
    public final long sendFile(FileChannel file) throws IOException, InterruptedException {
        refuseOnLoop();
        sending.lockInterruptibly();
        try {
            long before = state.outbox().sentOctets();
            if (state.outbox().takesBatches()) {
                state.throwIfFailed();
                if (!new FileSender(state.outbox(), state.link().allocator()).send(file)) {
                    throw state.awaitFailure();
                }
            } else {
                sendInChunks(file);
            }
            return state.outbox().sentOctets() - before;
        } finally {
            sending.unlock();
        }
    }

    private void sendInChunks(FileChannel file) throws IOException, InterruptedException {
        // A whole number of packets: only the last one is short.
        int payload = state.outbox().packets().maxPayload();
        int chunk = Math.max(1, CHUNK / payload) * payload;
        while (true) {
            ByteBuf data = state.link().allocator().directBuffer(chunk, chunk);
            int octets = 0;
            try {
                while (octets >= 0 && data.isWritable()) {
                    octets = data.writeBytes(file, data.writableBytes());
                }
            } catch (IOException e) {
                data.release();
                throw e;
            }
            await(state.outbox().send(data, false));
            if (octets < 0) {
                return;
            }
        }
    }

    /**
     * The QoS session that the datagrams of the next sends name; for a stream whose {@linkplain StreamRequest#sessionsVary sessions vary}. To be called by whoever sends,
     * between two sends that have returned.
     *
     * @param code 64 bits, not 0
     */
    public final void qosSession(long code) {
        state.outbox().packets().qosSession(code);
    }

    /** Octets of payload that a packet takes; more are cut into several. */
    public final int maxPayload() {
        return state.outbox().packets().maxPayload();
    }

    /** Octets of payload sent so far; some of them may still wait for the socket. */
    public final long sentOctets() {
        return state.outbox().sentOctets();
    }

    /** Octets of payload that have arrived so far. */
    public final long receivedOctets() {
        return state.receivedOctets();
    }

    /** Octets that wait for the socket, headers included. */
    public final long unsentOctets() {
        return state.outbox().inFlight();
    }

    /** Octets that have arrived and nobody has taken, headers included. */
    public final long untakenOctets() {
        return state.inbox().untaken();
    }

    /** Half-close: the peer sees the end of the stream after everything that was sent. Receiving goes on. Waits until it has left. */
    public final void finish() throws InterruptedException {
        sending.lockInterruptibly();
        try {
            await(state.finish());
        } finally {
            sending.unlock();
        }
    }

    /** As {@link #finish()}, without waiting; call it when the last send has completed. */
    public final CompletionStage<Void> finishAsync() {
        return state.finish().minimalCompletionStage();
    }

    /**
     * Finishes, then waits until the peer has finished too, which tells over TCP that the far end has everything. What still comes is
     * thrown away. Over UDP nobody tells: this returns when everything has left.
     */
    public final void complete() throws InterruptedException {
        finish();
        if (!state.link().datagrams()) {
            for (ByteBuf rest = receive(); rest != null; rest = receive()) {
                rest.release();
            }
        }
    }

    /** The next payload, at least one octet, or null when the peer has finished; waits for it. The caller releases it. */
    public final ByteBuf receive() throws InterruptedException {
        ByteBuf packet = state.take();
        return packet == null ? null : state.payloadOf(packet);
    }

    /**
     * The next packet that has a payload, or null when the peer has finished; waits for it. The caller releases it.
     *
     * @throws IllegalStateException if payloads arrive without packets
     */
    public final Packet receivePacket() throws InterruptedException {
        if (state.isRaw()) {
            throw new IllegalStateException("payloads arrive without packets here");
        }
        ByteBuf packet = state.take();
        return packet == null ? null : Packet.of(packet);
    }

    /**
     * The payloads for one subscriber, as many as it asks for; while it asks for none, reading stops. It is called on the event loop, and
     * releases each payload. Cancelling resets the stream.
     */
    public final Flow.Publisher<ByteBuf> payloads() {
        return state.inbox();
    }

    /** Completes when both sides have finished, or the stream is closed; fails with the stream. */
    public final CompletionStage<Void> closed() {
        return state.closed().minimalCompletionStage();
    }

    /** Ends the stream with an error that the peer, and the source through its nodes, is told. */
    public final void refuse(ErrorCode code, String text) {
        state.refuse(code, text, id());
    }

    /**
     * Gives the stream up. If {@link #finish()} has not been called the peer sees a reset, not an end: what it has is not all.
     *
     * @throws StreamRefusedException if the stream was refused and no call has said so
     */
    @Override
    public final void close() {
        state.close();
    }

    final void open(Packetizer packets, Pacer pacer) {
        state.open(packets, pacer);
    }

    private void refuseOnLoop() {
        if (state.link().loop().inEventLoop()) {
            throw new IllegalStateException("a blocking call on the event loop would wait for itself");
        }
    }

    private void await(CompletableFuture<Void> done) throws InterruptedException {
        if (!done.isDone()) {
            refuseOnLoop();
        }
        try {
            done.get();
        } catch (ExecutionException e) {
            throw state.told(e.getCause());
        }
    }
}
