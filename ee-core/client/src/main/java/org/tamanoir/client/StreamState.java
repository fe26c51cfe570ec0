package org.tamanoir.client;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ConnectionUse;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.client.wire.EventLoops;
import org.tamanoir.client.wire.NetworkFailures;
import org.tamanoir.client.wire.PacketSink;
import org.tamanoir.client.wire.Packetizer;

/** How far a stream is: which sides have finished, what has failed and who has been told. The first failure counts. */
final class StreamState implements PacketSink {
    /** After a failed write, how long the peer's reason for it may take to arrive. */
    private static final long REASON_MILLIS = 250;

    private final Link link;
    private final Inbox inbox;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private Outbox outbox;
    private boolean inputEnded;
    private boolean outputEnded;
    private boolean given;
    private boolean writeFailed;
    private CompletableFuture<Void> finishing;
    private AnepException failure;
    private boolean told;
    private volatile long receivedOctets;

    StreamState(Link link) {
        this.link = link;
        this.inbox = new Inbox(link, this::payloadOf, this::abandon);
    }

    void open(Packetizer packets, Pacer pacer) {
        outbox = new Outbox(link, packets, pacer, this::onWriteFailure);
    }

    Link link() {
        return link;
    }

    Inbox inbox() {
        return inbox;
    }

    Outbox outbox() {
        return outbox;
    }

    CompletableFuture<Void> closed() {
        return closed;
    }

    long receivedOctets() {
        return receivedOctets;
    }

    synchronized boolean inputEnded() {
        return inputEnded;
    }

    boolean isRaw() {
        return outbox.packets().isRaw();
    }

    /** Moves the reader index of a packet to its payload. */
    ByteBuf payloadOf(ByteBuf packet) {
        return isRaw() ? packet : packet.skipBytes(packet.getUnsignedShort(packet.readerIndex() + 4) * Anep.WORD);
    }

    @Override
    public void onPacket(Packet packet) {
        StreamRefusedException refusal = StreamRefusedException.in(packet);
        if (refusal != null) {
            onFailure(refusal);
        } else if (packet.isControl() && packet.connectionUse() == ConnectionUse.END) {
            onEnd();
        } else if (packet.payloadLength() > 0) {
            onArrival(packet.retainedSlice(), packet.payloadLength());
        }
    }

    /** Something with a payload has arrived; the reference is given away. */
    void onArrival(ByteBuf arrived, int payloadOctets) {
        receivedOctets += payloadOctets;
        inbox.offer(arrived);
    }

    @Override
    public void onReadComplete() {
        inbox.arrived();
        if (inbox.wantsMore()) {
            link.read();
        }
    }

    @Override
    public void onEnd() {
        boolean over;
        boolean reset;
        synchronized (this) {
            // The kernel gives a reset to whoever meets it first; after a write has had it, a read finds what looks like an end.
            reset = writeFailed;
            inputEnded = !reset;
            over = outputEnded;
        }
        if (reset) {
            onFailure(new AnepException(ErrorCode.CONNECTION_LOST, "the connection to " + EventLoops.text(link.peer()) + " was reset"));
            return;
        }
        inbox.end();
        if (over) {
            link.close();
            closed.complete(null);
        }
    }

    @Override
    public void onFailure(AnepException cause) {
        boolean news;
        synchronized (this) {
            if (failure != null || inputEnded && outputEnded) {
                return;
            }
            news = !given;
            failure = news ? cause : null;
        }
        if (!news) {
            // Nobody is there any more to read why it was refused.
            link.reset();
            return;
        }
        if (outbox != null) {
            outbox.fail(cause);
        }
        inbox.fail(cause);
        link.reset();
        closed.completeExceptionally(cause);
    }

    private void onWriteFailure(Throwable cause) {
        synchronized (this) {
            if (writeFailed) {
                return;
            }
            writeFailed = true;
        }
        if (link.datagrams()) {
            onFailure(new AnepException(ErrorCode.UNREACHABLE, NetworkFailures.of(cause, link.peer()).text(), cause));
            return;
        }
        // A peer that refuses says why before it closes; its words may still lie in the socket.
        link.read();
        link.loop().schedule(() -> onFailure(NetworkFailures.of(cause, link.peer())), REASON_MILLIS, TimeUnit.MILLISECONDS);
    }

    CompletableFuture<Void> finish() {
        CompletableFuture<Void> finished = new CompletableFuture<>();
        synchronized (this) {
            if (finishing != null) {
                return finishing;
            }
            finishing = finished;
        }
        outbox.finish().whenComplete((done, cause) -> {
            if (cause == null) {
                onOutputEnd();
                finished.complete(null);
            } else {
                onWriteFailure(cause);
                closed.whenComplete((over, why) -> finished.completeExceptionally(why == null ? cause : why));
            }
        });
        return finished;
    }

    private void onOutputEnd() {
        boolean over;
        synchronized (this) {
            outputEnded = true;
            over = inputEnded;
        }
        if (over) {
            link.close();
            closed.complete(null);
        }
    }

    ByteBuf take() throws InterruptedException {
        try {
            return inbox.take();
        } catch (AnepException e) {
            throw told(e);
        }
    }

    void throwIfFailed() {
        AnepException cause;
        synchronized (this) {
            cause = failure;
        }
        if (cause != null) {
            throw told(cause);
        }
    }

    /** The failure that a failed write leads to. */
    AnepException awaitFailure() throws InterruptedException {
        try {
            closed.get(20 * REASON_MILLIS, TimeUnit.MILLISECONDS);
            return new AnepException(ErrorCode.CONNECTION_LOST, "the stream was closed while it sent");
        } catch (ExecutionException e) {
            return told(e.getCause());
        } catch (TimeoutException e) {
            return new AnepException(ErrorCode.INTERNAL, "a write failed and the stream did not", e);
        }
    }

    /** The failure for throwing in the thread of a caller, who knows it from now on. */
    AnepException told(Throwable cause) {
        synchronized (this) {
            told = true;
        }
        if (cause instanceof StreamRefusedException refusal) {
            return new StreamRefusedException(refusal.code(), refusal.text(), refusal);
        }
        AnepException known = NetworkFailures.of(cause, link.peer());
        return new AnepException(known.code(), known.text(), cause);
    }

    void refuse(ErrorCode code, String text, long id) {
        synchronized (this) {
            if (given || failure != null) {
                return;
            }
            given = true;
        }
        AnepException reason = new AnepException(code, text);
        outbox.fail(reason);
        inbox.close();
        closed.completeExceptionally(reason);
        if (isRaw()) {
            link.reset();
        } else {
            // A peer that has finished already is closed only when the packet is out: its end may be read before that.
            link.closeWith(PacketBuilder.error(link.allocator(), code, text, id)).thenRun(this::onOutputEnd);
        }
    }

    void close() {
        AnepException untold;
        synchronized (this) {
            untold = !told && failure instanceof StreamRefusedException ? failure : null;
        }
        abandon();
        if (untold != null) {
            throw told(untold);
        }
    }

    private void abandon() {
        boolean wasOver;
        boolean finished;
        synchronized (this) {
            wasOver = given || failure != null || inputEnded && outputEnded;
            given = true;
            finished = outputEnded;
        }
        inbox.close();
        if (wasOver) {
            return;
        }
        if (outbox != null) {
            outbox.fail(new AnepException(ErrorCode.CONNECTION_LOST, "the stream was closed here"));
        }
        if (finished) {
            link.close();
        } else {
            link.reset();
        }
        closed.complete(null);
    }
}
