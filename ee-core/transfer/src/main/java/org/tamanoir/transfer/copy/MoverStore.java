package org.tamanoir.transfer.copy;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.transfer.Extent;
import org.tamanoir.transfer.FileStamp;
import org.tamanoir.transfer.store.Store;
import org.tamanoir.transfer.wire.Message;
import org.tamanoir.transfer.wire.MessageStream;
import org.tamanoir.transfer.wire.MessageStream.Received;

/** The files of a mover, over one stream, which is opened again when it is lost. Octets go by {@link MoverPort}s. Of one thread at a time. */
final class MoverStore implements Store, AutoCloseable {
    private static final Duration PAUSE = Duration.ofMillis(500);

    /** Opens a stream. */
    interface Opener {
        MoverPort open() throws InterruptedException;
    }

    /** One request and what becomes of its answers. */
    private interface Exchange<T> {
        T with(MoverPort port) throws InterruptedException;
    }

    private final Opener opener;
    private final Duration patience;
    private MoverPort port;

    MoverStore(Opener opener, Duration patience) {
        this.opener = opener;
        this.patience = patience;
    }

    /** Asks until there is an answer. @throws PieceFailed if it is a refusal @throws Refusal if there is none for its patience, or nobody may ask */
    private synchronized <T> T ask(Exchange<T> exchange) {
        long end = System.nanoTime() + patience.toNanos();
        while (true) {
            try {
                if (port == null) {
                    port = opener.open();
                }
                return exchange.with(port);
            } catch (PieceFailed | Refusal e) {
                throw e;
            } catch (AnepException e) {
                close();
                if (Refusal.isFor(e.code()) || System.nanoTime() - end > 0) {
                    throw new Refusal(e);
                }
                pause();
            } catch (InterruptedException e) {
                close();
                throw interrupted(e);
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE.toMillis());
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static Refusal interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new Refusal(new AnepException(ErrorCode.STOPPING, "the copy has been interrupted", e));
    }

    @Override
    public List<Entry> look(String path, boolean deep) {
        return ask(to -> {
            List<Entry> found = new ArrayList<>();
            to.send(new Message.Look(path, deep));
            for (boolean more = true; more;) {
                Received part = sound(to.reply(Message.Entries.class));
                byte[] json = new byte[part.body().remaining()];
                part.body().get(json);
                found.addAll(MessageStream.parse(json, Message.EntryList.class).entries());
                more = ((Message.Entries) part.message()).more();
            }
            return found;
        });
    }

    private static Received sound(Received received) {
        if (!received.sound()) {
            throw new AnepException(ErrorCode.EXTENT_DAMAGED, "what the mover says has changed on its way");
        }
        return received;
    }

    @Override
    public String digest(String path, FileStamp stamp) {
        return sums(new Message.Digest(path, stamp)).sha256();
    }

    @Override
    public Begun begin(String path, FileStamp stamp, int piece) {
        return ask(to -> {
            to.send(new Message.Begin(path, stamp, piece));
            Received received = sound(to.reply(Message.Missing.class));
            List<Extent> missing = new ArrayList<>();
            for (ByteBuffer body = received.body(); body.remaining() >= Long.BYTES + Integer.BYTES;) {
                missing.add(new Extent(body.getLong(), body.getInt()));
            }
            Message.Missing head = (Message.Missing) received.message();
            return new Begun(head.resumed(), head.inode(), missing);
        });
    }

    @Override
    public Committed commit(String path, FileStamp stamp, String sha256) {
        Message.Sums sums = sums(new Message.Commit(path, stamp, sha256 == null ? "" : sha256));
        return new Committed(sums.adler(), sums.sha256().isEmpty() ? null : sums.sha256());
    }

    private Message.Sums sums(Message.Request request) {
        return ask(to -> {
            to.send(request);
            return (Message.Sums) to.reply(Message.Sums.class).message();
        });
    }

    @Override
    public void directory(String path, FileStamp stamp, boolean last) {
        ask(to -> {
            to.send(new Message.Directory(path, stamp, last));
            return to.reply(Message.Done.class);
        });
    }

    @Override
    public synchronized void close() {
        if (port != null) {
            port.close();
            port = null;
        }
    }
}
