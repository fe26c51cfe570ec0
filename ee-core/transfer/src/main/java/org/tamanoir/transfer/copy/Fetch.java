package org.tamanoir.transfer.copy;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.transfer.store.Store;
import org.tamanoir.transfer.wire.FetchOrder;
import org.tamanoir.transfer.wire.Message;

/** A copy that a mover makes itself, from other movers or to them. */
public final class Fetch implements AutoCloseable {
    private final String copy;
    private final FetchOrder order;
    private final List<Place> sources;
    private final Place destination;
    private final CopyOptions options;
    private final Store.Octets store;
    private final TamanoirClient client;
    private volatile End from;
    private volatile End to;
    private volatile Plan plan;
    private volatile boolean stopped;
    private long need;

    /**
     * @param store of the mover, as this copy sees it
     * @param mostStreams whatever the order says
     * @throws AnepException EE-408, EE-108 if the order makes no sense
     */
    public Fetch(String copy, FetchOrder order, Store.Octets store, TamanoirClient client, int mostStreams) {
        this.copy = copy;
        this.order = order;
        this.store = store;
        this.client = client;
        sources = order.sources().stream().map(Place::parse).toList();
        destination = Place.parse(order.destination());
        if (sources.isEmpty() || destination.mover() == null || sources.stream().anyMatch(one -> one.mover() == null || !one.movers().equals(sources.get(0).movers()))) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "what a mover copies is all at the same movers");
        }
        try {
            options = CopyOptions.PRESET.by(order.via().stream().map(NodeAddress::parse).toList(), order.services()).token(orNull(order.token()))
                    .streams(Math.min(order.streams(), mostStreams), order.extent()).files(order.include(), order.exclude(), order.update()).sha256(order.sha256())
                    .rate(Math.max(0, order.rate())).patience(Duration.ofMillis(order.patienceMillis()));
        } catch (IllegalArgumentException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "no copy is made with " + e.getMessage(), e);
        }
    }

    private static String orNull(String token) {
        return token.isEmpty() ? null : token;
    }

    /** Copies everything. @throws AnepException what ended it before: EE-210 if it was stopped */
    public CopyReport run() throws InterruptedException {
        from = order.push() ? new End.Local(store, () -> { }) : new End.Remote(client, sources.get(0), options, copy);
        to = order.push() ? End.Remote.destination(client, destination, options, copy) : destination.movers().size() == 1 ? new End.Local(store, () -> { }) : striped();
        if (stopped) {
            throw stopped();
        }
        to.expectLanes(from);
        Plan made = Plan.of(sources, from, to, destination.path(), destination.directory(), options);
        synchronized (this) {
            plan = made;
            if (need > 0) {
                to.need(need);
            }
        }
        if (stopped) {
            made.stop(stopped());
        }
        return made.run();
    }

    private End striped() {
        return new StripedEnd(store, new Place(destination.movers().subList(1, destination.movers().size()), "", true), sources.get(0), options, orNull(order.ownToken()), copy, client);
    }

    private static AnepException stopped() {
        return new AnepException(ErrorCode.STOPPING, "the copy has been stopped");
    }

    public Message.Fetching progress() {
        Plan made = plan;
        return made == null ? Message.Fetching.NOTHING : made.progress();
    }

    /** Octets that have come to this mover, or gone from it, so far. */
    public long movedHere() {
        Plan made = plan;
        return made == null ? 0 : made.movedHere();
    }

    /** It needs so many octets a second from now on. From any thread. */
    public synchronized void need(long rate) throws InterruptedException {
        need = rate;
        if (plan != null) {
            to.need(rate);
        }
    }

    /** Has {@link #run} end soon. From any thread. */
    public void stop() {
        stopped = true;
        Plan made = plan;
        if (made != null) {
            made.stop(stopped());
        }
        for (End end : Arrays.asList(from, to)) {
            if (end != null) {
                end.stop();
            }
        }
    }

    @Override
    public void close() {
        for (End end : Arrays.asList(from, to)) {
            if (end != null) {
                end.close();
            }
        }
    }
}
