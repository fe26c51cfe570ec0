package org.tamanoir.client.multicast.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.dyram.receiver.PacketSet;
import org.tamanoir.dyram.receiver.ReceiverStatus;
import org.tamanoir.dyram.receiver.Store;
import org.tamanoir.dyram.wire.SessionKey;
import org.tamanoir.dyram.wire.SessionTerms;

/**
 * The packets of a receiver, on disk: in a part folder until the session's files are whole and in their place. What a run has kept is there
 * for the next one; nothing is held in memory.
 */
public final class FileStore implements Store, AutoCloseable {
    /** Octets without a gap after which the check reads on. */
    private static final int FOLLOW = 1 << 20;

    private final Options options;
    private final Executor checker;
    private final Consumer<AnepException> checked;
    private final Consumer<String> notices;
    private final PartFolder.Description before;
    /** SHA-256 of the whole if the run before had all of it; null otherwise. */
    private final byte[] digestBefore;
    private final long instance;
    private volatile PartFolder folder;
    private PacketFile packets;
    private PacketSet there;
    private ManifestWatch watch;
    private ContentCheck check;
    private long followed;
    private volatile AtomicReference<Exception> behind = new AtomicReference<>();
    private AtomicBoolean following = new AtomicBoolean();
    private volatile Manifest manifest;
    private volatile List<Path> files = List.of();
    private volatile boolean checking;
    private Finds finds;
    private volatile PacketFinder finder;

    /**
     * What a store is told.
     *
     * @param output    directory for the files; made if it is not there
     * @param name      of the receiver
     * @param group     of the session
     * @param secret    that source and receivers share; may be empty
     * @param instance  of the receiver, if no run before has one
     * @param overwrite whether files that are there are replaced
     */
    public record Options(Path output, String name, InetSocketAddress group, byte[] secret, long instance, boolean overwrite) {
    }

    /** Who is told of packets that are here before they were sent. Called by a thread of the store. */
    public interface Finds {
        /** It looks for them, or has looked. @param more whether some may follow */
        void looking(long session, boolean more);

        /** Some were found. @return whether further ones are wanted */
        boolean found(long session, List<Found> packets);
    }

    /**
     * A packet that was found.
     *
     * @param index which one, from 0
     * @param body  its tag and content
     */
    public record Found(long index, ByteBuf body) {
    }

    /**
     * A store; removes what is older than a week.
     *
     * @param checker runs the check of the whole, which reads and writes all of it
     * @param checked is told the answer, by the checker: null if everything is in its place
     * @param notices is told in a sentence what was removed or found
     * @throws AnepException EE-409 if the directory cannot be used
     */
    public FileStore(Options options, Executor checker, Consumer<AnepException> checked, Consumer<String> notices) {
        this.options = options;
        this.checker = checker;
        this.checked = checked;
        this.notices = notices;
        try {
            Files.createDirectories(options.output());
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "the directory '" + options.output() + "' cannot be made: " + AnepException.reason(e), e);
        }
        if (!Files.isWritable(options.output())) {
            throw new AnepException(ErrorCode.STORAGE, "nothing can be written into the directory '" + options.output() + "'");
        }
        for (Path removed : PartFolder.sweep(options.output(), Instant.now())) {
            notices.accept("removed '" + removed + "': nobody went on with that session for " + PartFolder.KEPT.toDays() + " days");
        }
        List<PartFolder.Description> begun = PartFolder.begun(options.output(), options.name(), options.group());
        this.before = begun.isEmpty() ? null : begun.get(0);
        this.digestBefore = before == null ? null : PartFolder.digest(options.output(), before);
        this.instance = before == null ? options.instance() : before.instance();
        if (before != null) {
            PartFolder.checkFree(options.output(), before);
            notices.accept("a part of session " + text(before.session()) + " is here: it goes on if that session is announced");
        }
    }

    private static String text(long session) {
        return String.format("%016x", session);
    }

    /** From now on it looks for what is here already when it knows what a session sends. */
    public void lookFor(Finds who) {
        finds = who;
    }

    /** Whether there was a part of a session when it was started. */
    public boolean hasPart() {
        return before != null;
    }

    /** The session of which there was a part when it was started; 0 if there was none. */
    public long partSession() {
        return before == null ? 0 : before.session();
    }

    /** The receiver's instance: that of the run before, if there is something to go on with. */
    public long instance() {
        return instance;
    }

    @Override
    public PacketSet open(long session, SessionTerms terms) {
        close();
        check = null;
        finder = null;
        manifest = null;
        followed = 0;
        behind = new AtomicReference<>();
        following = new AtomicBoolean();
        if (before != null) {
            notices.accept(before.session() == session ? "going on with session " + text(session)
                    : "session " + text(session) + " is another one; the part of " + text(before.session()) + " is used for what both have in common");
        }
        folder = PartFolder.open(options.output(), PartFolder.Description.of(session, terms, options.name(), instance));
        packets = new PacketFile(folder.packets(), terms.packets(), terms.packetSize());
        try {
            there = packets.verified(SessionKey.of(options.secret(), session, terms.salt()), session, terms.first());
            checkRoom(terms);
            watch = new ManifestWatch(packets, there);
            found(watch.look());
            return there;
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Room for the packets that are to come, and for the files beside them. */
    private void checkRoom(SessionTerms terms) throws IOException {
        long needed = packets.missing(there) + terms.packets() * terms.packetSize();
        long free = folder.path().toFile().getUsableSpace();
        if (needed > free || needed < 0) {
            throw new AnepException(ErrorCode.STORAGE, "'" + options.output() + "' has " + free + " octets free; the session needs " + needed
                    + ", twice its size until everything was compared");
        }
    }

    @Override
    public void put(long index, ByteBuf body) {
        try {
            packets.write(index, body.nioBuffer());
            found(watch.written(index));
            follow();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private void found(Manifest whole) throws IOException {
        if (whole != null) {
            Unpacking.checkPlaces(options.output(), whole, options.overwrite());
            check = new ContentCheck(options, folder, packets, whole, watch.octets());
            manifest = whole;
            look(whole);
        }
    }

    private void look(Manifest whole) throws IOException {
        if (finds != null && whole.files().stream().anyMatch(file -> file.sha256() != null)) {
            finder = new PacketFinder(options, folder.description(), whole, watch.octetsRead(), finds);
            Thread thread = new Thread(finder, "tamanoir-multicast-find");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** Has the check read on, if there is something to read and it has nothing to do. */
    private void follow() throws IOException {
        long to = there.firstMissing();
        if (check != null && (to - followed) * packets.size() >= FOLLOW && following.compareAndSet(false, true)) {
            packets.flush();
            followed = to;
            ContentCheck reads = check;
            AtomicReference<Exception> failed = behind;
            AtomicBoolean busy = following;
            checker.execute(() -> {
                try {
                    reads.advance(to);
                } catch (IOException | RuntimeException e) {
                    failed.compareAndSet(null, e);
                } finally {
                    busy.set(false);
                }
            });
        }
    }

    private AnepException failed(IOException e) {
        return new AnepException(ErrorCode.STORAGE, "'" + folder.path() + "': " + AnepException.reason(e) + "; what came is kept there", e);
    }

    @Override
    public ByteBuf get(long index) {
        ByteBuf body = PooledByteBufAllocator.DEFAULT.directBuffer(SessionKey.TAG_LENGTH + packets.size());
        try {
            packets.read(index, body);
            return body;
        } catch (IOException e) {
            body.release();
            throw failed(e);
        }
    }

    @Override
    public void check(byte[] digest) {
        checking = true;
        AnepException unwritten = flush();
        checker.execute(() -> {
            checked.accept(unwritten != null ? unwritten : checkNow(digest));
            checking = false;
        });
    }

    /** @return why what came cannot be written; null if it is */
    private AnepException flush() {
        try {
            packets.flush();
            return null;
        } catch (IOException e) {
            return failed(e);
        }
    }

    /** @return what is wrong; null if everything is in its place */
    private AnepException checkNow(byte[] digest) {
        try {
            if (check == null) {
                throw new AnepException(ErrorCode.BAD_OPTION_VALUE, "the session's list of files cannot be used: it is cut short");
            }
            folder.keep(digest);
            if (behind.get() instanceof IOException e) {
                throw e;
            } else if (behind.get() instanceof RuntimeException e) {
                throw e;
            }
            files = check.run(digest);
            removeEarlier(finder == null ? List.of() : finder.obsolete());
            return null;
        } catch (AnepException e) {
            if (e.code() == ErrorCode.NOT_IDENTICAL && finder != null) {
                // Its packets were true to their tags; that they belong to the files that it named was its word alone.
                removeEarlier(finder.used());
            }
            return e;
        } catch (IOException e) {
            return failed(e);
        } catch (RuntimeException e) {
            return new AnepException(ErrorCode.INTERNAL, "comparing the whole: " + e, e);
        }
    }

    private void removeEarlier(List<Path> folders) {
        for (Path earlier : folders) {
            try {
                PartFolder.remove(earlier);
            } catch (IOException e) {
                notices.accept("'" + earlier + "' cannot be removed: " + AnepException.reason(e));
            }
        }
    }

    /** Whether a run before had everything, and was ended before it had put it into place. */
    public boolean canFinish() {
        return digestBefore != null;
    }

    /**
     * Finishes what a run before had begun to put into place, without its source. Instead of {@link #open} and the rest, on any thread.
     *
     * @return how the receiver is then
     * @throws AnepException as {@link #check} answers; EE-505 if packets are not what they were when they came
     */
    public ReceiverStatus finish() {
        PacketSet whole = open(before.session(), before.terms(options.group()));
        AnepException failure = whole.isComplete() ? checkNow(digestBefore) : new AnepException(ErrorCode.NOT_IDENTICAL, "the disk has changed "
                + (whole.size() - whole.count()) + " packets in '" + folder.path() + "', and nobody sends the session any more");
        if (failure != null && failure.code() == ErrorCode.NOT_IDENTICAL) {
            forgetDigest();
        }
        if (failure != null) {
            throw failure;
        }
        return new ReceiverStatus(ReceiverStatus.State.DONE, before.session(), whole.size(), whole.size(), 0, 0, 0, 0, 0, 0, 0, null);
    }

    private void forgetDigest() {
        try {
            folder.forgetDigest();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Whether the whole is being compared. */
    public boolean isChecking() {
        return checking;
    }

    /** What the session consists of; null until that was received. */
    public Manifest manifest() {
        return manifest;
    }

    /** The files in their places; empty until everything is there. */
    public List<Path> files() {
        return files;
    }

    /** The folder that has what came; null before a session is known. */
    public Path folder() {
        return folder == null ? null : folder.path();
    }

    /** Lets go of the folder; what is in it stays for another run. */
    @Override
    public void close() {
        if (finder != null) {
            finder.stop();
        }
        if (check != null) {
            try {
                check.close();
            } catch (IOException e) {
                // What was unpacked is overwritten by the next run, or goes with its folder.
            }
        }
        if (folder != null && !folder.isClosed()) {
            // What cannot be written is asked for again by the next run.
            flush();
            folder.close();
        }
    }
}
