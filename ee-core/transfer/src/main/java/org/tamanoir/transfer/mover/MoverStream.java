package org.tamanoir.transfer.mover;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.IncomingStream;
import org.tamanoir.transfer.Content;
import org.tamanoir.transfer.Extent;
import org.tamanoir.transfer.copy.CopyReport;
import org.tamanoir.transfer.copy.Puller;
import org.tamanoir.transfer.store.Store;
import org.tamanoir.transfer.wire.FetchOrder;
import org.tamanoir.transfer.wire.Message;
import org.tamanoir.transfer.wire.Message.Reply;
import org.tamanoir.transfer.wire.MessageStream;
import org.tamanoir.transfer.wire.MessageStream.Received;
import org.tamanoir.transfer.wire.PullOrder;

/**
 * One stream of a copy at a mover. One thread takes requests and writes what comes with them, another one answers, in the order of the requests: so extents
 * come in while those before them are synced.
 */
final class MoverStream implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MoverStream.class);
    /** Requests that were taken and not answered; then the stream is not read. */
    private static final int MOST_WAITING = 256;
    private static final int ENTRIES_AT_ONCE = 1000;
    /** After so long without a word one is said. */
    private static final long BUSY_NANOS = 3_000_000_000L;

    /** The last answer. */
    private static final Answer END = () -> { };

    /** Gives, when its turn has come, the answer to a request. */
    private interface Answer {
        void send() throws InterruptedException;
    }

    private final Mover mover;
    private final IncomingStream stream;
    private final BufferBudget.Buffer incoming;
    private final BufferBudget.Buffer outgoing;
    private final MessageStream messages;
    private final BlockingQueue<Answer> answers = new ArrayBlockingQueue<>(MOST_WAITING);
    private final Thread reader = new Thread(this::serve, "mover stream");
    private final Thread writer = new Thread(this::answer, "mover answers");
    private Store.Octets store;
    private String copy;
    private volatile long lastWord;
    /** What the mover fetches, or has fetched, for it; null for nothing. */
    private volatile Fetches.Running fetching;
    /** Octets a second that it needs; 0 if it has not said. */
    private volatile long needed;
    /** Reads from another mover for it; null for none. */
    private volatile Puller puller;
    private volatile boolean ended;

    MoverStream(Mover mover, IncomingStream stream, BufferBudget memory) {
        this.mover = mover;
        this.stream = stream;
        this.incoming = memory.new Buffer();
        this.outgoing = memory.new Buffer();
        this.messages = new MessageStream(stream, octets -> {
            // A stranger gets no memory.
            if (store == null) {
                throw new AnepException(ErrorCode.BAD_REQUEST, "a stream begins with who it belongs to");
            }
            // Its memory is that of what is pulled.
            if (puller != null) {
                throw new AnepException(ErrorCode.BAD_REQUEST, "a stream that pulls sends no octets");
            }
            return incoming.of(octets);
        }, mover::moved);
        reader.setDaemon(true);
        writer.setDaemon(true);
    }

    void start() {
        reader.start();
    }

    private void serve() {
        try {
            Received first = messages.receive();
            if (first == null) {
                // It was opened ahead, and nobody needed it.
                return;
            }
            greet(first);
            writer.start();
            for (Received request = messages.receive(); request != null; request = messages.receive()) {
                take(request);
            }
            answers.put(messages::finish);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (AnepException e) {
            if (e.code() == ErrorCode.CONNECTION_LOST) {
                LOG.debug("a stream is lost: {}", e.getMessage());
            } else {
                mover.refused(e);
                refuse(e);
            }
        } catch (RuntimeException e) {
            LOG.error("a stream has failed", e);
            refuse(new AnepException(ErrorCode.INTERNAL, e.toString(), e));
        } finally {
            end();
        }
    }

    private void greet(Received first) throws InterruptedException {
        if (!(first.message() instanceof Message.Hello hello)) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "a stream begins with who it belongs to");
        }
        if (hello.version() != MessageStream.VERSION) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "version " + hello.version() + " of what copies say is not known here, but " + MessageStream.VERSION);
        }
        String token = mover.options().token();
        if (token != null && (!MessageDigest.isEqual(token.getBytes(StandardCharsets.UTF_8), hello.token().getBytes(StandardCharsets.UTF_8)))) {
            throw new AnepException(ErrorCode.NOT_AUTHORISED, hello.token().isEmpty() ? "the mover wants a token" : "the token is not the mover's");
        }
        if (hello.copy().isEmpty()) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "a stream belongs to no copy");
        }
        copy = hello.copy();
        store = mover.join(copy, this::busy);
        messages.send(new Message.Done());
    }

    /** Whoever has sent requests behind the one that was wrong hears of it all the same: what comes is read for a while. */
    private void refuse(AnepException why) {
        stream.refuse(why.code(), why.text());
    }

    private static Message.Failed failed(AnepException why) {
        return new Message.Failed(why.code().number(), why.text());
    }

    private void take(Received request) throws InterruptedException {
        Answer answer;
        try {
            answer = answer(request);
        } catch (AnepException e) {
            answer = refusal(e);
        }
        answers.put(answer);
    }

    private Answer refusal(AnepException why) {
        mover.refused(why);
        return () -> messages.send(failed(why));
    }

    private Answer answer(Received request) throws InterruptedException {
        if (!request.sound()) {
            return refusal(new AnepException(ErrorCode.EXTENT_DAMAGED, "an extent has changed on its way"));
        }
        Message message = request.message();
        if (message instanceof Message.Write write) {
            return whenDone(writable().write(write.path(), write.stamp(), write.offset(), request.content(write.sparse())));
        } else if (message instanceof Message.Put put) {
            return whenDone(writable().put(put.path(), put.stamp(), request.content(put.sparse())));
        } else if (message instanceof Message.Read read) {
            return () -> tell(() -> octets(read));
        } else if (message instanceof Message.Look look) {
            return () -> tell(() -> entries(store.look(look.path(), look.deep())));
        } else if (message instanceof Message.Digest digest) {
            return () -> tell(() -> messages.send(new Message.Sums("", store.digest(digest.path(), digest.stamp()))));
        } else if (message instanceof Message.Begin begin) {
            return () -> tell(() -> missing(writable().begin(begin.path(), begin.stamp(), begin.piece())));
        } else if (message instanceof Message.Commit commit) {
            return () -> tell(() -> {
                Store.Committed committed = writable().commit(commit.path(), commit.stamp(), commit.sha256().isEmpty() ? null : commit.sha256());
                messages.send(new Message.Sums(committed.adler(), committed.sha256() == null ? "" : committed.sha256()));
            });
        } else if (message instanceof Message.Directory directory) {
            return () -> tell(() -> {
                writable().directory(directory.path(), directory.stamp(), directory.last());
                messages.send(new Message.Done());
            });
        }
        if (message instanceof Message.Fetch) {
            FetchOrder order = json(request, FetchOrder.class);
            return () -> tell(() -> fetch(order));
        } else if (message instanceof Message.Stripe stripe) {
            return whenDone(writable().stripe(stripe.path(), stripe.stamp(), stripe.inode(), stripe.offset(), request.content(stripe.sparse())));
        } else if (message instanceof Message.Enter enter) {
            return whenDone(writable().enter(enter.path(), enter.stamp(), enter.inode(), enter.extent(), enter.crc(), enter.adler()));
        } else if (message instanceof Message.Attach) {
            attach(json(request, PullOrder.class));
            return () -> messages.send(new Message.Done());
        } else if (message instanceof Message.Pull pull) {
            return pull(pull);
        } else if (message instanceof Message.Need need) {
            needed = Math.max(0, need.rate());
            Fetches.Running begun = fetching;
            if (begun != null) {
                begun.need(needed);
            }
            return () -> messages.send(new Message.Done());
        }
        throw new AnepException(ErrorCode.BAD_REQUEST, "a copy does not say that: " + message.getClass().getSimpleName());
    }

    private static <T> T json(Received request, Class<T> type) {
        byte[] json = new byte[request.body().remaining()];
        request.body().get(json);
        return MessageStream.parse(json, type);
    }

    private void attach(PullOrder order) throws InterruptedException {
        writable();
        if (puller != null) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "a stream pulls from one mover");
        }
        // What comes from the other mover is a sign of life.
        puller = mover.fetches().puller(copy, order, incoming::of, octets -> {
            mover.moved(octets);
            busy();
        });
    }

    private Answer pull(Message.Pull pull) throws InterruptedException {
        Store.Octets into = writable();
        Puller from = puller;
        if (from == null) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "a stream says first which mover it pulls from");
        }
        try {
            from.ask(pull.from(), pull.stamp(), pull.extent());
        } catch (Puller.Lost e) {
            return () -> messages.send(new Message.Lost(e.code().number(), e.text()));
        }
        return () -> tell(() -> {
            try {
                Content content = from.take();
                await((pull.small() ? into.put(pull.path(), pull.stamp(), content) : into.stripe(pull.path(), pull.stamp(), pull.inode(), pull.extent().offset(), content)).toCompletableFuture());
                messages.send(new Message.Pulled(content.body().remaining(), content.crc(), content.adler()));
            } catch (Puller.Lost e) {
                messages.send(new Message.Lost(e.code().number(), e.text()));
            }
        });
    }

    private Store.Octets writable() {
        if (mover.options().readOnly()) {
            throw new AnepException(ErrorCode.NOT_ALLOWED, "nothing is written here: the mover is read-only");
        }
        return store;
    }

    /** Ends with the stream: whoever asked asks again. */
    private void fetch(FetchOrder order) throws InterruptedException {
        if (!order.push()) {
            writable();
        }
        Fetches.Running begun = mover.fetches().begin(copy, order);
        fetching = begun;
        if (needed > 0) {
            begun.need(needed);
        }
        if (ended) {
            begun.stop();
        }
        CopyReport report = begun.await(now -> {
            try {
                messages.send(now);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AnepException(ErrorCode.STOPPING, "the stream has ended", e);
            }
        });
        messages.send(new Message.Fetched(), MessageStream.body(report));
    }

    private Answer whenDone(CompletionStage<Void> stage) {
        return () -> tell(() -> {
            await(stage.toCompletableFuture());
            messages.send(new Message.Done());
        });
    }

    private void await(CompletableFuture<Void> done) throws InterruptedException {
        while (true) {
            try {
                done.get(BUSY_NANOS, TimeUnit.NANOSECONDS);
                return;
            } catch (TimeoutException e) {
                busy();
            } catch (ExecutionException e) {
                throw e.getCause() instanceof AnepException known ? known : new AnepException(ErrorCode.INTERNAL, e.getCause().toString(), e);
            }
        }
    }

    /** Says that the answer comes later, if nothing was said for a while. */
    private void busy() {
        long now = System.nanoTime();
        if (now - lastWord >= BUSY_NANOS) {
            lastWord = now;
            try {
                messages.send(new Message.Busy());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AnepException(ErrorCode.STOPPING, "the stream has ended", e);
            }
        }
    }

    /** Sends an answer, or why there is none. */
    private void tell(Answer answer) throws InterruptedException {
        lastWord = System.nanoTime();
        try {
            answer.send();
        } catch (AnepException e) {
            mover.refused(e);
            messages.send(failed(e));
        }
    }

    private void octets(Message.Read read) throws InterruptedException {
        Content content = store.read(read.path(), read.stamp(), read.extent(), outgoing.of(read.extent().length()));
        messages.send(new Message.Octets(content.isSparse()), content.body());
    }

    private void entries(List<Store.Entry> all) throws InterruptedException {
        for (int from = 0; from == 0 || from < all.size(); from += ENTRIES_AT_ONCE) {
            int to = Math.min(all.size(), from + ENTRIES_AT_ONCE);
            messages.send(new Message.Entries(to < all.size()), MessageStream.body(new Message.EntryList(all.subList(from, to))));
        }
    }

    private void missing(Store.Begun begun) throws InterruptedException {
        ByteBuffer body = ByteBuffer.allocate(begun.missing().size() * (Long.BYTES + Integer.BYTES));
        for (Extent extent : begun.missing()) {
            body.putLong(extent.offset()).putInt(extent.length());
        }
        messages.send(new Message.Missing(begun.resumed(), begun.inode()), body.flip());
    }

    /** Answers, until the end is one. When nobody is there to hear it goes on taking, so that whoever reads comes to the end too. */
    private void answer() {
        try {
            for (Answer next = answers.take(); next != END; next = answers.take()) {
                try {
                    next.send();
                } catch (AnepException | IllegalStateException e) {
                    LOG.debug("nobody hears: {}", e.getMessage());
                    close();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** No thread is interrupted that may be at a file: that would close the file for all other streams, too. */
    private void end() {
        boolean interrupted = false;
        ended = true;
        Fetches.Running begun = fetching;
        if (begun != null) {
            begun.stop();
        }
        if (puller != null) {
            puller.stop();
        }
        while (writer.isAlive() || !answers.isEmpty()) {
            try {
                if (writer.isAlive() && answers.offer(END, 1, TimeUnit.SECONDS)) {
                    writer.join();
                }
                answers.clear();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (puller != null) {
            puller.close();
        }
        try {
            messages.close();
        } catch (AnepException e) {
            LOG.debug("was refused: {}", e.getMessage());
        }
        incoming.close();
        outgoing.close();
        mover.ended(this, copy);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Gives the stream up. */
    @Override
    public void close() {
        try {
            stream.close();
        } catch (AnepException e) {
            LOG.debug("was refused: {}", e.getMessage());
        }
    }

    void awaitEnd() {
        boolean interrupted = false;
        while (reader.isAlive()) {
            try {
                reader.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
