package org.tamanoir.transfer.copy;

import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.PacketStream;
import org.tamanoir.transfer.Content;
import org.tamanoir.transfer.wire.Message;
import org.tamanoir.transfer.wire.MessageStream;
import org.tamanoir.transfer.wire.MessageStream.Received;

/** A stream to a mover. */
final class MoverPort implements Port {
    private final PacketStream stream;
    private final MessageStream messages;
    private final Consumer<MoverPort> closed;
    private final Queue<Piece> asked = new ConcurrentLinkedQueue<>();
    /** Whether another mover keeps the journal of what is written here. */
    private final boolean striped;
    private boolean greeted;

    /** When something moved last, or began to be waited for. */
    private volatile long lastMoved = System.nanoTime();
    private volatile boolean waits;
    private volatile boolean failed;

    /**
     * @param buffers give room for what comes @param striped whether another mover keeps the journal of what is written here @param moved is told how many octets have come or left
     * @param closed is told when it is
     */
    MoverPort(PacketStream stream, IntFunction<ByteBuffer> buffers, boolean striped, LongConsumer moved, Consumer<MoverPort> closed) {
        this.stream = stream;
        this.striped = striped;
        this.closed = closed;
        this.messages = new MessageStream(stream, buffers, octets -> {
            lastMoved = System.nanoTime();
            moved.accept(octets);
        });
    }

    /** Says whom the stream belongs to, first of all. Who asks for something does not wait for the answer: that would cost a round trip. */
    void greet(String copy, String token) throws InterruptedException {
        send(new Message.Hello(MessageStream.VERSION, copy, token == null ? "" : token));
    }

    boolean hasFailed() {
        return failed;
    }

    /** Whether nothing has moved for so long although it was waited for. From any thread. */
    boolean isStalled(long nanos) {
        return waits && isSilent(nanos);
    }

    /** Whether nothing has moved for so long. From any thread. */
    boolean isSilent(long nanos) {
        return System.nanoTime() - lastMoved > nanos;
    }

    /** Gives the stream up; whoever waits for it is told. From any thread. */
    void abort() {
        try {
            stream.close();
        } catch (AnepException e) {
            // It had been refused, which whoever waits is told.
        }
    }

    void send(Message.Request request) throws InterruptedException {
        send(request, ByteBuffer.allocate(0));
    }

    void send(Message.Request request, ByteBuffer body) throws InterruptedException {
        waited(() -> messages.send(request, body));
    }

    /** Sends something whose answer nobody waits for. From any thread. */
    void tell(Message.Request request) throws InterruptedException {
        messages.send(request);
    }

    /** What takes its time at the other end. */
    private interface Exchange<T> {
        T run() throws InterruptedException;
    }

    private <T> T waited(Exchange<T> exchange) throws InterruptedException {
        lastMoved = System.nanoTime();
        waits = true;
        try {
            return exchange.run();
        } catch (AnepException | InterruptedException e) {
            failed = true;
            throw e;
        } finally {
            waits = false;
            lastMoved = System.nanoTime();
        }
    }

    /** The next answer to what was asked. @throws PieceFailed if it is why there is none @throws AnepException if the mover does not want the stream, or it is lost */
    Received reply(Class<? extends Message> kind) throws InterruptedException {
        awaitWelcome();
        return next(kind);
    }

    private void awaitWelcome() throws InterruptedException {
        if (!greeted) {
            next(Message.Done.class);
            greeted = true;
        }
    }

    private Received next(Class<? extends Message> kind) throws InterruptedException {
        Received received;
        do {
            received = waited(messages::receive);
            if (received == null) {
                failed = true;
                throw new AnepException(ErrorCode.CONNECTION_LOST, "the mover has ended the stream");
            }
        } while (received.message() instanceof Message.Busy);
        if (received.message() instanceof Message.Failed failed) {
            throw new PieceFailed(ErrorCode.of(failed.code()), failed.text(), null);
        }
        if (received.message() instanceof Message.Lost lost) {
            failed = true;
            throw new AnepException(ErrorCode.of(lost.code()), lost.text());
        }
        if (!kind.isInstance(received.message())) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "the mover answers what was not asked: " + received.message().getClass().getSimpleName());
        }
        return received;
    }

    @Override
    public void ask(Piece piece) throws InterruptedException {
        if (piece.extent() != null) {
            send(new Message.Read(piece.file().from, piece.file().stamp, piece.extent()));
        } else {
            // Nothing to read, but that it is still nothing.
            send(new Message.Digest(piece.file().from, piece.file().stamp));
        }
        asked.add(piece);
    }

    @Override
    public Content take() throws InterruptedException {
        Piece piece = asked.remove();
        Received received = reply(piece.extent() == null ? Message.Sums.class : Message.Octets.class);
        if (!received.sound()) {
            throw new PieceFailed(ErrorCode.EXTENT_DAMAGED, "an extent has changed on its way", null);
        }
        Content content = received.content(received.message() instanceof Message.Octets octets && octets.sparse());
        if (content.length() != piece.octets()) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "the mover sends " + content.length() + " octets, and " + piece.octets() + " were asked for");
        }
        return content;
    }

    @Override
    public void give(Piece piece, Content content) throws InterruptedException {
        // A node takes octets before it knows whether anybody is behind it; they would go for nothing.
        awaitWelcome();
        FileJob file = piece.file();
        boolean sparse = content.isSparse();
        send(file.small ? new Message.Put(file.to, file.stamp, sparse) : striped ? new Message.Stripe(file.to, file.stamp, file.inode, piece.offset(), sparse)
                : new Message.Write(file.to, file.stamp, piece.offset(), sparse), content.body());
    }

    @Override
    public void settle() throws InterruptedException {
        reply(Message.Done.class);
    }

    @Override
    public void close() {
        closed.accept(this);
        try {
            if (!failed) {
                messages.finish();
            }
            messages.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            messages.close();
        } catch (AnepException e) {
            // What counts has been answered.
            messages.close();
        }
    }
}
