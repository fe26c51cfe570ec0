package org.tamanoir.transfer.copy;

import java.util.List;
import java.util.function.LongConsumer;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.transfer.store.Store;
import org.tamanoir.transfer.wire.PullOrder;

/**
 * The destination as the first of its movers sees it, which makes the copy (GridFTP's striped transfer, seed 003 section 4.2): it writes a part of what comes
 * itself, has the other movers, which share its file system, pull theirs straight from those of the source, and keeps the journal of all.
 */
final class StripedEnd implements End {
    private final Local here;
    private final Store.Octets store;
    private final Remote others;
    private final Place sources;
    private final CopyOptions options;

    /** @param others movers of the destination besides this one @param sources where the octets are @param options how they come @param othersToken what the others are shown; null for nothing */
    StripedEnd(Store.Octets store, Place others, Place sources, CopyOptions options, String othersToken, String copy, TamanoirClient client) {
        this.here = new Local(store, () -> { });
        this.store = store;
        this.sources = sources;
        this.options = options;
        this.others = new Remote(client, others, CopyOptions.PRESET.token(othersToken).patience(options.patience()), copy);
    }

    @Override
    public Store store() {
        return store;
    }

    /** Most of its octets come to the others, by their own streams. */
    @Override
    public void expectLanes(End source) {
    }

    @Override
    public int width() {
        return 1 + others.width();
    }

    @Override
    public Port port(int number, LongConsumer moved) {
        return here.port(number, moved);
    }

    @Override
    public Lane lane(int number, End source, Copy copy) throws InterruptedException {
        int turn = End.turn(number, source.width(), width());
        if (turn == 0) {
            return End.super.lane(number, source, copy);
        }
        PullOrder order = new PullOrder(Place.text(sources.movers().get(number % sources.movers().size())), options.via().stream().map(Object::toString).toList(), options.services(),
                options.token() == null ? "" : options.token());
        return new Lane(null, PullSink.open(others.port(turn - 1, octets -> { }), order, store, copy));
    }

    @Override
    public void stop() {
        others.stop();
    }

    @Override
    public void close() {
        others.close();
    }
}
