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
    private final StripedEnd others;
    private final End destination;
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
        if (sources.isEmpty() || sources.stream().anyMatch(one -> one.mover() == null || !one.movers().equals(sources.get(0).movers()))) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "what a mover fetches is all at the same other movers");
        }
        try {
            options = CopyOptions.PRESET.by(order.via().stream().map(NodeAddress::parse).toList(), order.services()).token(order.token().isEmpty() ? null : order.token())
                    .streams(Math.min(order.streams(), mostStreams), order.extent()).files(order.include(), order.exclude(), order.update()).sha256(order.sha256())
                    .rate(Math.max(0, order.rate())).patience(Duration.ofMillis(order.patienceMillis()));
        } catch (IllegalArgumentException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "no copy is made with " + e.getMessage(), e);
        }
        source = new End.Remote(client, sources.get(0), options, copy);
        others = order.movers().isEmpty() ? null : new StripedEnd(store, new Place(order.movers().stream().map(NodeAddress::hostPort).toList(), "", true), sources.get(0), options,
                order.moversToken().isEmpty() ? null : order.moversToken(), copy, client);
        destination = others == null ? new End.Local(store, () -> { }) : others;
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

    /** Octets that have come to this mover so far. */
    public long movedHere() {
        Plan made = plan;
        return made == null ? 0 : made.movedHere();
    }

    /** Has {@link #run} end soon. From any thread. */
    public void stop() {
        stopped = true;
        Plan made = plan;
        if (made != null) {
            made.stop(new AnepException(ErrorCode.STOPPING, "the copy has been stopped"));
        }
        source.stop();
        if (others != null) {
            others.stop();
        }
    }

    @Override
    public void close() {
        source.close();
        destination.close();
    }
}
