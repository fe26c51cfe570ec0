package org.tamanoir.services.cache;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.Output;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Task;
import org.tamanoir.service.Verdict;
import org.tamanoir.services.cache.http.Body;
import org.tamanoir.services.cache.http.Head;
import org.tamanoir.services.cache.http.HeadReader;
import org.tamanoir.services.cache.http.NotUnderstoodException;
import org.tamanoir.services.cache.objects.CachedObjects;
import org.tamanoir.services.cache.rules.Reason;

/**
 * The requests of one program, one after the other, each answered before the next one is read. What is no HTTP/1.1 passes unchanged from there on, in both directions
 * and for good. Whatever happens, {@link #step} goes on with what is to be done, as a task of the stream; it runs once however often it was asked for.
 */
final class CacheStream implements StreamHandler {
    /** Octets of requests that wait at which the program is made to wait. */
    private static final int MOST_PENDING = 64 * 1024;
    /** Octets of a packet that this handler makes. */
    private static final int PACKET = 60_000;

    private final HttpCache cache;
    private final StreamContext stream;
    private final Exchanges exchanges;
    private final HeadReader requests = new HeadReader(false);
    private final ByteBuf pending = Unpooled.buffer();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private Exchange exchange;
    private boolean passes;
    private boolean sourcePaused;
    private boolean sourceEnded;
    private boolean originEnded;
    private boolean closing;

    CacheStream(HttpCache cache, StreamContext stream) {
        this.cache = cache;
        this.stream = stream;
        this.exchanges = new Exchanges(cache, Way.of(stream, stream.destination()), this::schedule);
    }

    /** Has {@link #step} run soon. Any thread. */
    void schedule() {
        if (scheduled.compareAndSet(false, true)) {
            Task task = (forward, back) -> {
                scheduled.set(false);
                step(forward, back);
            };
            if (!stream.execute(task)) {
                scheduled.set(false);
            }
        }
    }

    // From the program.

    @Override
    public Verdict onPacket(Packet packet, Output out) {
        if (packet.payloadLength() == 0 || passes && !pending.isReadable()) {
            return Verdict.PASS;
        }
        ByteBuf payload = packet.payload();
        if (exchange != null && !exchange.body.isDone() && !pending.isReadable() && exchange.state == Exchange.State.PASSES) {
            int begin = payload.readerIndex();
            if (!takeBody(payload) || !payload.isReadable()) {
                return Verdict.PASS;
            }
            emit(out, payload.slice(begin, payload.readerIndex() - begin));
        }
        pending.discardSomeReadBytes();
        pending.writeBytes(payload);
        pauseSource(pending.readableBytes() > MOST_PENDING);
        schedule();
        return Verdict.TAKEN;
    }

    /** Takes the rest of the body of the request in hand; false if it is not understood, and all passes from here on. */
    private boolean takeBody(ByteBuf octets) {
        try {
            exchange.body.take(octets, Body.NOBODY);
            return true;
        } catch (NotUnderstoodException e) {
            exchanges.giveUp(exchange, null);
            exchange = null;
            passes = true;
            return false;
        }
    }

    private void pauseSource(boolean pause) {
        if (pause != sourcePaused) {
            sourcePaused = pause;
            stream.pauseSource(pause);
        }
    }

    @Override
    public void onEnd(Output out) {
        sourceEnded = true;
        if (exchange != null || pending.isReadable()) {
            out.holdEnd();
            schedule();
        }
    }

    // From the origin.

    @Override
    public Verdict onReturn(Packet packet, Output out) throws NotUnderstoodException {
        if (packet.payloadLength() == 0 || passes) {
            return Verdict.PASS;
        }
        ByteBuf payload = packet.payload();
        if (exchanges.passesWhole(payload)) {
            ended();
            return Verdict.PASS;
        }
        try {
            exchanges.answer(payload, exchange, out);
        } catch (NotUnderstoodException e) {
            cache.objects().notes().note(exchange == null ? null : exchange.key, Reason.NOT_UNDERSTOOD);
            exchanges.giveUp(exchange, out);
            passes = true;
            exchange = null;
            emit(out, payload);
        }
        ended();
        return Verdict.TAKEN;
    }

    /** An answer may be over. */
    private void ended() {
        if (exchanges.switched()) {
            passes = true;
            exchange = null;
        }
        schedule();
    }

    @Override
    public void onReturnEnd(Output out) {
        originEnded = true;
        if (!passes) {
            exchanges.originEnded(exchange);
            if (exchange != null && exchange.state != Exchange.State.DONE) {
                out.holdEnd();
            }
        }
        closing = true;
        schedule();
    }

    @Override
    public void onReturnWritable(Output out) {
        schedule();
    }

    // Both.

    private void step(Output forward, Output back) {
        while (goesOn(forward, back)) {
            // Until it waits for something.
        }
        pauseSource(pending.readableBytes() > MOST_PENDING);
    }

    private boolean goesOn(Output forward, Output back) {
        if (passes) {
            if (pending.isReadable()) {
                emit(forward, pending);
            }
            releaseEnds(forward, back);
            return false;
        }
        if (exchange == null) {
            return !closing && begin(forward, back) || idle(forward, back);
        }
        if (exchanges.goesOn(exchange, forward, back)) {
            return true;
        }
        if (exchange.state == Exchange.State.PASSES && pending.isReadable() && !exchange.body.isDone()) {
            passBody(forward);
        }
        if (exchange.state == Exchange.State.DONE && exchange.body.isDone()) {
            closing |= exchange.closes;
            exchange = null;
            return true;
        }
        return false;
    }

    private void passBody(Output forward) {
        int begin = pending.readerIndex();
        if (takeBody(pending)) {
            emit(forward, pending.slice(begin, pending.readerIndex() - begin));
        } else {
            pending.readerIndex(begin);
        }
    }

    /** Nothing is to be done; false always. */
    private boolean idle(Output forward, Output back) {
        if (exchange == null && closing) {
            back.finish();
            forward.finish();
        }
        releaseEnds(forward, back);
        return false;
    }

    private void releaseEnds(Output forward, Output back) {
        if (sourceEnded) {
            forward.releaseEnd();
        }
        if (originEnded) {
            back.releaseEnd();
        }
    }

    /** Reads the next request; false if there is none. */
    private boolean begin(Output forward, Output back) {
        if (!pending.isReadable()) {
            return false;
        }
        try {
            Head head = requests.read(pending);
            if (head != null) {
                Body body = Body.of(head);
                exchange = new Exchange(head, requests.raw(), body, Exchange.key(stream.destination(), head), cache.nowMillis());
                return true;
            }
            return false;
        } catch (NotUnderstoodException e) {
            cache.objects().notes().note(null, Reason.NOT_UNDERSTOOD);
            byte[] partial = requests.isEmpty() ? requests.raw() : requests.partial();
            emit(forward, Unpooled.wrappedBuffer(partial));
            passes = true;
            return true;
        }
    }

    /** Emits octets in packets; they are lent. */
    static boolean emit(Output out, ByteBuf octets) {
        boolean room = true;
        while (octets.isReadable()) {
            int length = Math.min(PACKET, octets.readableBytes());
            room = out.emitPayload(out.allocator().buffer(length).writeBytes(octets, length));
        }
        return room;
    }

    @Override
    public Map<String, Object> report() {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("passes", passes);
        if (exchange != null) {
            report.put("url", CachedObjects.urlOf(exchange.key));
            report.put("state", exchange.state.name().toLowerCase(Locale.ROOT));
        }
        return report;
    }

    @Override
    public void close() {
        exchanges.close(exchange);
    }
}
