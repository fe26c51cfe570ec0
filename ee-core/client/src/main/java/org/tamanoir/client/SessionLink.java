package org.tamanoir.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.resumable.Session;
import org.tamanoir.client.wire.Packetizer;

/**
 * A session that is one stream: it outlives the nodes on its way. What is written is taken when it waits for its acknowledgement, and the end has been sent
 * when the far end has kept everything.
 */
final class SessionLink implements Link, Session.Application {
    private final EventLoop loop;
    private final InetSocketAddress peer;
    private final boolean keepsItself;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private final CompletableFuture<Void> kept = new CompletableFuture<>();
    private StreamState state;
    private Session session;
    private boolean reads;
    private boolean stopped;
    /** Reads for acknowledgements alone, without which nothing of what waits can be taken. What comes meanwhile is not kept, so it is less than the other end's ring. */
    private boolean readsForRoom;
    private boolean finishing;
    private boolean ended;
    private AnepException failure;
    private long arrived;

    private record Waiting(ByteBuf octets, Promise<Void> taken) {
    }

    /** @param keepsItself whether what has arrived counts as kept; otherwise {@link #kept} says so */
    SessionLink(EventLoop loop, InetSocketAddress peer, boolean keepsItself) {
        this.loop = loop;
        this.peer = peer;
        this.keepsItself = keepsItself;
    }

    /** What it carries and on what. On the loop, before anything else. */
    void join(StreamState of, Session on) {
        state = of;
        session = on;
    }

    private void onLoop(Runnable what) {
        if (loop.inEventLoop()) {
            what.run();
        } else {
            loop.execute(what);
        }
    }

    @Override
    public EventLoop loop() {
        return loop;
    }

    @Override
    public ByteBufAllocator allocator() {
        return PooledByteBufAllocator.DEFAULT;
    }

    @Override
    public InetSocketAddress peer() {
        return peer;
    }

    /** Legs come and go, each with an address of its own. */
    @Override
    public InetSocketAddress local() {
        return new InetSocketAddress(0);
    }

    @Override
    public boolean datagrams() {
        return false;
    }

    @Override
    public boolean keeps() {
        return true;
    }

    @Override
    public Future<?> write(ByteBuf buffer) {
        Promise<Void> taken = loop.newPromise();
        onLoop(() -> {
            waiting.add(new Waiting(buffer, taken));
            if (failure != null) {
                fail(failure);
            } else {
                writeWaiting();
            }
        });
        return taken;
    }

    private void writeWaiting() {
        while (!waiting.isEmpty() && session.isWritable()) {
            session.write(waiting.peek().octets());
            if (waiting.peek().octets().isReadable()) {
                break;
            }
            Waiting done = waiting.poll();
            done.octets().release();
            done.taken().trySuccess(null);
        }
        if (stopped && !waiting.isEmpty()) {
            stopped = false;
            readsForRoom = true;
            session.read();
        }
        if (finishing && waiting.isEmpty()) {
            session.finish();
        }
    }

    @Override
    public void flush() {
        onLoop(session::flush);
    }

    @Override
    public void read() {
        onLoop(() -> {
            reads = true;
            stopped = false;
            if (readsForRoom) {
                readsForRoom = false;
                keepArrived();
            }
            session.read();
        });
    }

    @Override
    public CompletableFuture<Void> finish(Packetizer packets) {
        onLoop(() -> {
            finishing = true;
            writeWaiting();
        });
        return kept;
    }

    @Override
    public void reset() {
        onLoop(() -> {
            fail(new AnepException(ErrorCode.CONNECTION_LOST, "the stream was given up"));
            session.giveUp();
        });
    }

    /** Both sides have finished, and the session ends by itself when both ends know. */
    @Override
    public void close() {
        // There is nothing to do.
    }

    @Override
    public CompletableFuture<Void> closeWith(ByteBuf last) {
        last.release();
        reset();
        return CompletableFuture.completedFuture(null);
    }

    /** Octets since the beginning that the application has kept. Any thread. */
    void kept(long octets) {
        onLoop(() -> session.kept(octets));
    }

    // What the session says.

    @Override
    public void onOctets(ByteBuf octets) {
        arrived += octets.readableBytes();
        state.onArrival(octets, octets.readableBytes());
    }

    private void keepArrived() {
        if (keepsItself) {
            session.kept(arrived);
        }
    }

    @Override
    public boolean onReadComplete() {
        if (!readsForRoom) {
            keepArrived();
        }
        reads = false;
        state.onReadComplete();
        // After the end come marks, whether or not the stream wants to read.
        boolean wanted = reads || ended;
        readsForRoom = !wanted && !waiting.isEmpty();
        stopped = !wanted && waiting.isEmpty();
        return !stopped;
    }

    @Override
    public void onEnd() {
        ended = true;
        readsForRoom = false;
        state.onEnd();
    }

    @Override
    public void onRoom() {
        if (!waiting.isEmpty()) {
            writeWaiting();
            session.flush();
        }
    }

    @Override
    public void onKept() {
        kept.complete(null);
    }

    @Override
    public void onDone() {
        // The stream has had both ends already.
    }

    @Override
    public void onFailure(AnepException why) {
        fail(why);
        state.onFailure(why);
    }

    private void fail(AnepException why) {
        failure = why;
        while (!waiting.isEmpty()) {
            Waiting lost = waiting.poll();
            lost.octets().release();
            lost.taken().tryFailure(why);
        }
        kept.completeExceptionally(why);
    }
}
