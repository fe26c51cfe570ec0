package org.tamanoir.transfer.copy;

import java.time.Duration;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.transfer.store.Store;
import org.tamanoir.transfer.wire.FetchOrder;
import org.tamanoir.transfer.wire.Message;

/** A copy from another mover, which the mover of the destination makes itself. */
public final class Fetch implements AutoCloseable {
    private final FetchOrder order;
    private final List<Place> sources;
    private final CopyOptions options;
    private final End.Remote source;
    private final End.Local destination;
    private volatile Plan plan;
    private volatile boolean stopped;

    /**
     * @param store of the destination, as this copy sees it
     * @param mostStreams whatever the order says
     * @throws AnepException EE-408, EE-108 if the order makes no sense
     */
    public Fetch(String copy, FetchOrder order, Store.Octets store, TamanoirClient client, int mostStreams) {
        this.order = order;
        sources = order.sources().stream().map(Place::parse).toList();
        if (sources.isEmpty() || sources.stream().anyMatch(one -> one.mover() == null || !one.mover().equals(sources.get(0).mover()))) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "what a mover fetches is all at one other mover");
        }
        try {
            options = new CopyOptions(order.via().stream().map(NodeAddress::parse).toList(), order.services(), null, null, order.token().isEmpty() ? null : order.token(),
                    Math.min(order.streams(), mostStreams), order.extent(), order.include(), order.exclude(), order.update(), order.sha256(), Math.max(0, order.rate()),
                    Duration.ofMillis(order.patienceMillis()));
        } catch (IllegalArgumentException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "no copy is made with " + e.getMessage(), e);
        }
        source = new End.Remote(client, sources.get(0), options, copy);
        destination = new End.Local(store, () -> { });
    }

    /** Copies everything. @throws AnepException what ended it before: EE-210 if it was stopped */
    public CopyReport run() throws InterruptedException {
        Plan made = Plan.of(sources, source, destination, order.path(), order.directory(), options);
        plan = made;
        if (stopped) {
            made.stop(new AnepException(ErrorCode.STOPPING, "the copy has been stopped"));
        }
        return made.run();
    }

    public Message.Fetching progress() {
        Plan made = plan;
        return made == null ? Message.Fetching.NOTHING : made.progress();
    }

    /** Has {@link #run} end soon. From any thread. */
    public void stop() {
        stopped = true;
        Plan made = plan;
        if (made != null) {
            made.stop(new AnepException(ErrorCode.STOPPING, "the copy has been stopped"));
        }
        source.stop();
    }

    @Override
    public void close() {
        source.close();
    }
}
