package org.tamanoir.services.cache;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.Output;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;
import org.tamanoir.services.cache.http.Body;
import org.tamanoir.services.cache.http.Head;
import org.tamanoir.services.cache.http.HeadReader;
import org.tamanoir.services.cache.http.NotUnderstoodException;

/** The question of a neighbour ({@link Neighbours}): answered from what is here, fresh, and for everybody; 504 otherwise. No origin is ever asked for it. */
final class NeighbourStream implements StreamHandler {
    private final HttpCache cache;
    private final StreamContext stream;
    private final HeadReader requests = new HeadReader(false);
    private final SinkOutput toNobody = new SinkOutput(octets -> {
        octets.release();
        throw OriginTalk.cut("a neighbour gets what is here, and it is not all here");
    });
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private Exchanges exchanges;
    private Exchange exchange;

    /** @throws AnepException EE-216 for somebody who is no node that the operator has listed */
    NeighbourStream(HttpCache cache, StreamContext stream) {
        if (!stream.isFromPeer()) {
            throw new AnepException(ErrorCode.NOT_PERMITTED, "only nodes that are listed under peers ask a cache for what it keeps");
        }
        this.cache = cache;
        this.stream = stream;
    }

    @Override
    public Verdict onPacket(Packet packet, Output out) throws NotUnderstoodException {
        ByteBuf payload = packet.payload();
        Head head = exchange == null && payload.isReadable() ? requests.read(payload) : null;
        if (head != null) {
            String named = head.value(Neighbours.ORIGIN);
            InetSocketAddress origin = named == null ? null : MapConfiguration.address(named);
            if (origin == null || !head.names("cache-control", "only-if-cached")) {
                throw new AnepException(ErrorCode.BAD_CONTENT, "a neighbour asks for what is kept of an origin that it names");
            }
            Head asked = head.without(Neighbours.ORIGIN).with("Connection", "close");
            exchanges = new Exchanges(cache, Way.of(stream, origin), this::schedule);
            exchange = new Exchange(asked, asked.octets(), Body.of(asked), Exchange.key(origin, asked), cache.nowMillis());
            exchange.mayAsk = false;
            schedule();
        }
        return Verdict.TAKEN;
    }

    private void schedule() {
        if (scheduled.compareAndSet(false, true) && !stream.execute((forward, back) -> {
            scheduled.set(false);
            step(back);
        })) {
            scheduled.set(false);
        }
    }

    private void step(Output back) {
        while (exchange.state != Exchange.State.DONE && exchanges.goesOn(exchange, toNobody, back)) {
            // Until it waits for something.
        }
        if (exchange.state == Exchange.State.DONE) {
            back.finish();
        }
    }

    @Override
    public void onReturnWritable(Output back) {
        if (exchange != null) {
            schedule();
        }
    }

    @Override
    public void close() {
        if (exchange != null) {
            exchanges.close(exchange);
        }
    }
}
