package org.tamanoir.client.multicast;

import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.multicast.file.FileStore;
import org.tamanoir.client.multicast.file.Manifest;
import org.tamanoir.client.wire.EventLoops;
import org.tamanoir.dyram.receiver.ReceiverCore;
import org.tamanoir.dyram.receiver.ReceiverStatus;
import org.tamanoir.dyram.receiver.ReceiverStatus.State;

/**
 * Takes the files of one multicast session, and repairs for other receivers what they have lost until the session is over.
 *
 * <pre>{@code
 * try (MulticastReceiver receiver = MulticastReceiver.start(new MulticastReceiverOptions(group, "berlin", directory).via(node))) {
 *     List<Path> files = receiver.result().get().files();
 * }
 * }</pre>
 *
 * <p>What a receiver has when it ends before the session does stays in its directory; one that is started again with the same name, group
 * and directory goes on from there.
 */
public final class MulticastReceiver implements AutoCloseable {
    private static final long LOOK_MILLIS = 10;
    private static final int HOPS = 1;
    /** For so long a session of which everything is here may still be announced: then its source learns that it is complete. */
    private static final long FINISH_NANOS = 3_000_000_000L;

    /** For so long sessions of others are no news. */
    private static final long STRANGERS_NANOS = 1_500_000_000L;

    /** A node that says nothing for so long does not know this host, or is not there. */
    static final long SILENCE_NANOS = 5_000_000_000L;

    private final MulticastReceiverOptions options;
    private final Sockets sockets;
    private final CoreDriver driver;
    private final ExecutorService checker;
    private final FileStore store;
    private volatile ReceiverCore core;
    /** Sessions whose source has gone silent and that another one has taken the place of. */
    private final Set<Long> superseded = ConcurrentHashMap.newKeySet();
    private final SecureRandom random = new SecureRandom();
    private final CompletableFuture<Result> result = new CompletableFuture<>();
    private volatile ReceiverStatus last;
    private boolean hearsGroup;
    private AnepException failure;
    private long started = System.nanoTime();
    private boolean finishing;
    private boolean silenceSaid;
    private boolean absenceSaid;
    private boolean strangersSaid;
    private long strangersSince;
    private long began;
    private long ended;

    /**
     * How it ended well.
     *
     * @param status  what came how
     * @param files   in their places, in the order of the source
     * @param octets  of all files
     * @param seconds from when it was let in until everything was in its place
     */
    public record Result(ReceiverStatus status, List<Path> files, long octets, double seconds) {
    }

    private MulticastReceiver(MulticastReceiverOptions options) {
        this.options = options;
        this.checker = Executors.newSingleThreadExecutor(MulticastReceiver::daemon);
        FileStore.Options kept = new FileStore.Options(options.output(), options.name(), options.group(), options.secret(),
                random.nextLong(), options.overwrite());
        this.sockets = new Sockets("tamanoir-multicast-receive");
        this.driver = new CoreDriver(sockets, options.via(), session -> !options.except().contains(session) && !superseded.contains(session),
                this::fail);
        try {
            this.store = new FileStore(kept, checker, this::checked, options.notices());
            store.lookFor(new FoundPackets(driver, this::core));
            this.core = new ReceiverCore(options.settings(store.instance()), store, sockets, random);
        } catch (RuntimeException e) {
            sockets.close();
            checker.shutdown();
            throw e;
        }
        this.last = core.status();
    }

    private ReceiverCore core() {
        return core;
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "tamanoir-multicast-check");
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Opens the sockets and looks for a session, on a thread of its own.
     *
     * @throws AnepException EE-408 for options that make no sense, EE-409 for a directory that cannot be used, EE-503 if another receiver has
     *     what came of the session before, EE-604 or EE-502 if the group cannot be heard and there is no node, EE-204 if the node has no address
     */
    public static MulticastReceiver start(MulticastReceiverOptions options) {
        options.check();
        MulticastReceiver receiver = new MulticastReceiver(options);
        try {
            receiver.open();
        } catch (RuntimeException e) {
            receiver.close();
            throw e;
        }
        receiver.driver.start(receiver.core);
        receiver.sockets.loop().scheduleAtFixedRate(receiver::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        return receiver;
    }

    private void open() {
        InetSocketAddress via = options.via();
        NetworkInterface device = options.networkInterface() != null ? Interfaces.named(options.networkInterface())
                : Interfaces.toward(via != null ? via : options.group());
        sockets.open(Interfaces.family(via != null ? via : options.group()), options.port(), null, HOPS, driver);
        try {
            if (device == null) {
                throw new AnepException(ErrorCode.NO_INTERFACE, "no network interface leads to "
                        + EventLoops.text(via != null ? via : options.group()) + ": name one (--interface)");
            }
            sockets.join(options.group(), device, driver);
            hearsGroup = true;
        } catch (AnepException e) {
            if (via == null) {
                throw e;
            }
            options.notices().accept("the group cannot be heard here, packets come by unicast: " + e.getMessage());
        }
    }

    /** The store's answer, on its own thread. */
    private void checked(AnepException error) {
        driver.call(now -> core.checked(now, error));
    }

    private void look() {
        if (finishing || result.isDone()) {
            return;
        }
        ReceiverStatus now = core.status();
        last = now;
        if (began == 0 && now.state().compareTo(State.RECEIVING) >= 0) {
            began = System.nanoTime();
        }
        if (ended == 0 && now.state().compareTo(State.COMPLETE) >= 0) {
            ended = System.nanoTime();
        }
        if (now.state() == State.FAILED && core.isSuperseded()) {
            move(now.session());
        } else if (now.state().isOver()) {
            // A session that ends while the whole is compared leaves it to the comparison whether everything is here.
            if (!store.isChecking()) {
                end(now.error());
            }
        } else if (now.state() == State.LISTENING) {
            listening(now, System.nanoTime() - started);
        }
    }

    /** What came of the session stays: the next one takes from it what it has in common with it. */
    private void move(long from) {
        options.notices().accept(String.format("session %016x is silent, and another one is announced: moving to it", from));
        superseded.add(from);
        started = System.nanoTime();
        began = 0;
        core = new ReceiverCore(options.settings(store.instance()), store, sockets, random);
        driver.start(core);
    }

    private void listening(ReceiverStatus now, long waited) {
        if (store.canFinish() && !options.except().contains(store.partSession())) {
            finish();
        } else if (options.sessionWait() != null && waited > options.sessionWait().toNanos()) {
            end(new AnepException(ErrorCode.NO_SESSION, "no session was announced on " + EventLoops.text(options.group()) + " within "
                    + options.sessionWait().toMillis() / 1000.0 + " s"));
        } else if (now.error() != null) {
            strangers(now.error());
        } else if (options.via() != null && !silenceSaid && !core.nodeAnswers() && (driver.refusal() != null || waited > SILENCE_NANOS)) {
            silenceSaid = true;
            options.notices().accept((driver.refusal() != null ? driver.refusal() : silent(options.via())).getMessage());
        } else if (store.hasPart() && !absenceSaid && waited > SILENCE_NANOS) {
            absenceSaid = true;
            options.notices().accept("the session of which a part is here is not announced: it has ended, or its way here is broken; waiting for it or another one");
        }
    }

    /** Everything came in a run before, and the source has gone. */
    private void finish() {
        if (System.nanoTime() - started < FINISH_NANOS) {
            return;
        }
        finishing = true;
        driver.end();
        options.notices().accept("the session is not announced any more, and everything of it is here");
        checker.execute(() -> {
            AnepException failed = null;
            try {
                last = store.finish();
            } catch (AnepException e) {
                failed = e;
            }
            AnepException end = failed;
            driver.run(() -> end(end));
        });
    }

    /** What is said of a node from which nothing has come. */
    static AnepException silent(InetSocketAddress via) {
        return new AnepException(ErrorCode.NODE_SILENT, "nothing has come from node " + EventLoops.text(via)
                + ": does it run, and is this host in its links: members?");
    }

    /** Only sessions with another secret are here. */
    private void strangers(AnepException error) {
        if (strangersSince == 0) {
            strangersSince = System.nanoTime();
        }
        if (!strangersSaid && System.nanoTime() - strangersSince > Math.min(STRANGERS_NANOS, options.patience().toNanos() / 2)) {
            // Not at once: the next announcement may be the one that it waits for.
            strangersSaid = true;
            options.notices().accept(error.getMessage());
        }
        if (System.nanoTime() - strangersSince > options.patience().toNanos()) {
            end(error);
        }
    }

    private void end(AnepException error) {
        driver.end();
        store.close();
        if (!store.files().isEmpty()) {
            result.complete(new Result(last, store.files(), store.manifest().size(), (ended - began) / 1e9));
        } else {
            AnepException why = failure != null ? failure : error;
            result.completeExceptionally(why != null ? why : new AnepException(ErrorCode.INTERNAL, "it ended without a reason"));
        }
    }

    /** The disk gave up on what is needed for a repair: what this receiver has is not touched by it. */
    private void fail(AnepException error) {
        failure = error;
        core.leave(System.nanoTime());
        sockets.flush();
    }

    /** Where the unicast socket is. */
    public InetSocketAddress address() {
        return sockets.address();
    }

    /** Whether the group was joined; packets come by unicast otherwise. */
    public boolean hearsGroup() {
        return hearsGroup;
    }

    /** How things are, some hundredths of a second ago at most. */
    public ReceiverStatus status() {
        return last;
    }

    /** What the session consists of; null until that was received. */
    public Manifest manifest() {
        return store.manifest();
    }

    /** Where what came is kept until it is whole; null before a session is known. */
    public Path partFolder() {
        return store.folder();
    }

    /** Datagrams that came and were no message. */
    public long malformed() {
        return driver.malformed();
    }

    /** The files, when the session is over; or why there are none: EE-409, EE-505, EE-701 to EE-709. */
    public CompletableFuture<Result> result() {
        return result.copy();
    }

    /** Says good-bye: the source knows at once that nothing more comes. The result follows; it is an error if files are missing. */
    public void leave() {
        driver.call(core::leave);
    }

    /** Ends everything at once; what came is kept. */
    @Override
    public void close() {
        driver.run(() -> {
            driver.end();
            store.close();
        });
        sockets.close();
        checker.shutdown();
        result.completeExceptionally(new AnepException(ErrorCode.STOPPING, "the receiver was closed"));
    }
}
