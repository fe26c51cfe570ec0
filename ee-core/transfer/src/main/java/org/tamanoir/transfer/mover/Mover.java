package org.tamanoir.transfer.mover;

import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.client.IncomingStream;
import org.tamanoir.client.ReceiverOptions;
import org.tamanoir.client.TamanoirReceiver;
import org.tamanoir.transfer.store.LocalStore;
import org.tamanoir.transfer.store.Store;

/** Serves the files of a directory to copies, over streams that come straight from them or through nodes. It remembers nothing that is not on its disk. */
public final class Mover implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Mover.class);

    private final MoverOptions options;
    private final LocalStore store;
    private final TamanoirReceiver receiver;
    private final BufferBudget memory;
    private final Fetches fetches;
    private final Set<MoverStream> streams = ConcurrentHashMap.newKeySet();
    /** Streams of each copy. */
    private final Map<String, Integer> copies = new HashMap<>();
    private final LongAdder moved = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private volatile boolean closing;

    /** What a mover has done since it was started. @param streams open now @param copies that they belong to @param octets of extents that came and left @param failures requests that it had to refuse
     * @param fetches copies that it makes itself now */
    public record Status(int streams, int copies, long octets, long failures, int fetches) {
    }

    private Mover(MoverOptions options, FetchOptions fetching) {
        this.options = options;
        this.store = new LocalStore(options.root());
        this.memory = new BufferBudget(options.memory());
        this.fetches = new Fetches(fetching, store, options.memory(), this::moved);
        this.receiver = TamanoirReceiver.listen(new ReceiverOptions(options.listen()).maxStreams(options.maxStreams()));
    }

    /** A mover that serves. @throws AnepException EE-407 if there is no such directory, EE-502 if the address cannot be listened on */
    public static Mover open(MoverOptions options) {
        return open(options, FetchOptions.PRESET);
    }

    /** The same, with what it fetches itself. */
    public static Mover open(MoverOptions options, FetchOptions fetching) {
        Mover mover = new Mover(options, fetching);
        Thread acceptor = new Thread(mover::accept, "mover");
        acceptor.setDaemon(true);
        acceptor.start();
        return mover;
    }

    public InetSocketAddress address() {
        return receiver.address();
    }

    /** The directory that it serves, for others to serve it too. */
    public LocalStore store() {
        return store;
    }

    MoverOptions options() {
        return options;
    }

    public Status status() {
        synchronized (copies) {
            return new Status(streams.size(), copies.size(), moved.sum(), failures.sum(), fetches.running());
        }
    }

    private void accept() {
        try {
            for (IncomingStream stream = receiver.accept(); stream != null; stream = receiver.accept()) {
                if (closing) {
                    stream.close();
                    continue;
                }
                MoverStream served = new MoverStream(this, stream, memory);
                streams.add(served);
                served.start();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (AnepException e) {
            LOG.debug("no more streams: {}", e.getMessage());
        }
    }

    Fetches fetches() {
        return fetches;
    }

    /** The store for a stream of a copy. Each call is matched by one of {@link #ended}. @param alive is called now and then by what takes long */
    Store.Octets join(String copy, Runnable alive) {
        synchronized (copies) {
            copies.merge(copy, 1, Integer::sum);
        }
        return store.of(copy, alive);
    }

    /** A stream has ended. @param copy whose it was; null if it had not said */
    void ended(MoverStream stream, String copy) {
        streams.remove(stream);
        if (copy != null) {
            synchronized (copies) {
                if (copies.merge(copy, -1, Integer::sum) == 0) {
                    copies.remove(copy);
                    store.leave(copy);
                }
            }
        }
    }

    /** Counts octets of files that came or left. */
    public void moved(long octets) {
        moved.add(octets);
    }

    void refused(AnepException failure) {
        failures.increment();
        LOG.info("refused: {}", failure.getMessage());
    }

    /** Resets the streams that are open. What copies have not completed stays for them. */
    @Override
    public void close() {
        closing = true;
        // Before the event loops: whoever waits for one that has ended waits for ever.
        streams.forEach(MoverStream::close);
        streams.forEach(MoverStream::awaitEnd);
        receiver.close();
        fetches.close();
        store.close();
    }
}
