package org.tamanoir.services.cache;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.service.Output;
import org.tamanoir.services.cache.CacheCounters.Result;
import org.tamanoir.services.cache.OriginCall.Purpose;
import org.tamanoir.services.cache.OriginCall.Target;
import org.tamanoir.services.cache.http.Head;
import org.tamanoir.services.cache.http.NotUnderstoodException;
import org.tamanoir.services.cache.objects.CachedObject;
import org.tamanoir.services.cache.objects.CachedObjects;
import org.tamanoir.services.cache.objects.Piece;
import org.tamanoir.services.cache.objects.Waiter;
import org.tamanoir.services.cache.rules.ByteRange;
import org.tamanoir.services.cache.rules.CacheControl;
import org.tamanoir.services.cache.rules.Conditions;
import org.tamanoir.services.cache.rules.Reason;
import org.tamanoir.services.cache.rules.Storing;
import org.tamanoir.services.cache.rules.Stored;
import org.tamanoir.services.cache.rules.Using;
import org.tamanoir.services.cache.rules.Variant;

/** How one stream answers requests: what is decided about each, what the origin is asked, what its answers mean. */
final class Exchanges {
    private final HttpCache cache;
    private final CachedObjects objects;
    private final Way way;
    private final Runnable schedule;
    private final Waiter waiter;
    private final ContentWriter writer;
    private final OriginTalk talk;
    private final Beforehand beforehand;

    Exchanges(HttpCache cache, Way way, Runnable schedule) {
        this.cache = cache;
        this.objects = cache.objects();
        this.way = way;
        this.schedule = schedule;
        this.waiter = schedule::run;
        this.talk = new OriginTalk(cache, way, schedule);
        this.writer = new ContentWriter(cache, way, schedule);
        this.beforehand = new Beforehand(cache, way, schedule);
    }

    /** Goes on with a request; whether something has changed by that, so that it is worth to ask again. */
    boolean goesOn(Exchange exchange, Output forward, Output back) {
        talk.letGoOn();
        boolean changed = switch (exchange.state) {
            // The rest of an answer of which nothing is wanted comes first.
            case NEW -> talk.call() == null && decide(exchange, forward, back);
            case SERVED -> serve(exchange, forward, back);
            case PASSES -> passed(exchange);
            case FOLLOWS, ASKED, DONE -> false;
        };
        talk.letGoOn();
        return changed;
    }

    private boolean passed(Exchange exchange) {
        if (talk.call() == null && exchange.body.isDone()) {
            exchange.state = Exchange.State.DONE;
            return true;
        }
        return false;
    }

    // What is decided.

    private boolean decide(Exchange exchange, Output forward, Output back) {
        Head request = exchange.request;
        Reason reason = Storing.refusal(request, exchange.body);
        if (reason != null) {
            return pass(exchange, reason, forward);
        }
        CachedObject object = objects.find(exchange.key, request);
        boolean mayAsk = !CacheControl.of(request).has("only-if-cached");
        if (object == null) {
            return !mayAsk ? refuse(exchange, back) : request.method().equals("HEAD") ? pass(exchange, Reason.HEAD, forward) : fetch(exchange, forward);
        }
        Stored stored = objects.stored(object);
        if (!Conditions.insistsOnSame(request, stored)) {
            return pass(exchange, Reason.PRECONDITION, forward);
        }
        boolean together = exchange.arrivedMillis <= stored.answerMillis();
        if (Using.isUsable(request, stored, cache.nowMillis(), cache.settings().heuristic(), together)) {
            boolean waited = together && exchange.status != null;
            return serveFrom(exchange, object, waited ? Result.COLLAPSED : Result.HIT, waited ? exchange.status + "; collapsed" : "hit");
        }
        if (!mayAsk) {
            return refuse(exchange, back);
        }
        if (stored.hasValidator()) {
            return validate(exchange, object, stored, forward);
        }
        return request.method().equals("HEAD") ? pass(exchange, Reason.HEAD, forward) : fetch(exchange, forward);
    }

    private void count(Exchange exchange, Result result) {
        if (!exchange.counted) {
            exchange.counted = true;
            cache.counters().count(result);
        }
    }

    private boolean pass(Exchange exchange, Reason reason, Output forward) {
        objects.notes().note(exchange.key, reason);
        count(exchange, Result.PASSED);
        exchange.state = Exchange.State.PASSES;
        return ask(exchange, new OriginCall(Purpose.PASS, exchange.request, cache.nowMillis()), exchange.raw, forward);
    }

    private boolean refuse(Exchange exchange, Output back) {
        count(exchange, Result.REFUSED);
        CacheStream.emit(back, Unpooled.wrappedBuffer(AnswerHeads.own(504, "Gateway Timeout", cache.name() + "; detail=only-if-cached", exchange.closes).octets()));
        exchange.state = Exchange.State.DONE;
        return true;
    }

    private boolean serveFrom(Exchange exchange, CachedObject object, Result result, String status) {
        count(exchange, result);
        exchange.object = object;
        exchange.status = status;
        exchange.answer = null;
        exchange.state = Exchange.State.SERVED;
        objects.read(object);
        land(exchange, true);
        return true;
    }

    /** Whether somebody else asks the origin already, so that the exchange follows. */
    private boolean follows(Exchange exchange) {
        if (exchange.alone || exchange.leads) {
            return false;
        }
        boolean leads = cache.flights().lead(exchange.key, known -> way.execute((forward, back) -> {
            exchange.alone = known;
            exchange.state = Exchange.State.NEW;
            schedule.run();
        }));
        exchange.leads = leads;
        exchange.state = leads ? exchange.state : Exchange.State.FOLLOWS;
        return !leads;
    }

    private boolean fetch(Exchange exchange, Output forward) {
        exchange.status = "fwd=uri-miss";
        if (follows(exchange) || beforehand.asksNeighbours(exchange)) {
            return false;
        }
        exchange.state = Exchange.State.ASKED;
        return ask(exchange, new OriginCall(Purpose.FETCH, exchange.request, cache.nowMillis()), exchange.raw, forward);
    }

    private boolean validate(Exchange exchange, CachedObject object, Stored stored, Output forward) {
        exchange.status = "fwd=stale";
        if (cache.away().isAway(way.origin()) && usableOnError(exchange, stored)) {
            serveFrom(exchange, object, Result.STALE, "hit; fwd=stale; detail=origin-away");
            return true;
        }
        boolean isOwn = stored.asks() || Storing.hasCredentials(exchange.request);
        if (!isOwn && follows(exchange)) {
            return false;
        }
        if (isProbed(exchange, stored)) {
            return false;
        }
        exchange.object = object;
        exchange.state = Exchange.State.ASKED;
        Head asked = Conditions.validate(exchange.request, stored);
        OriginCall call = new OriginCall(Purpose.VALIDATE, asked, cache.nowMillis());
        call.needsLeave = stored.asks() && asked.method().equals("GET");
        return ask(exchange, call, asked.octets(), forward);
    }

    /** Whether the origin is tried first, because its failure would not be the end: then the request is decided about once more. */
    private boolean isProbed(Exchange exchange, Stored stored) {
        return !cache.away().isThere(way.origin()) && usableOnError(exchange, stored) && beforehand.probes(exchange);
    }

    private boolean usableOnError(Exchange exchange, Stored stored) {
        return Using.isUsableOnError(exchange.request, stored, cache.nowMillis(), cache.settings().heuristic(), cache.settings().staleIfError());
    }

    private boolean ask(Exchange exchange, OriginCall asked, byte[] octets, Output forward) {
        boolean isVersioned = Storing.reads(exchange.request.method()) && exchange.body.isDone() && cache.settings().isWebDav(CachedObjects.urlOf(exchange.key));
        talk.ask(asked, octets, isVersioned, forward);
        return true;
    }

    /** What others wait for is known, or will not be. */
    private void land(Exchange exchange, boolean known) {
        if (exchange != null && exchange.leads) {
            exchange.leads = false;
            cache.flights().land(exchange.key, known);
        }
    }

    // What the origin answers.

    /** See {@link OriginTalk#passesWhole}. */
    boolean passesWhole(ByteBuf payload) throws NotUnderstoodException {
        return talk.passesWhole(payload);
    }

    /** Takes what has come of an answer. */
    void answer(ByteBuf payload, Exchange exchange, Output back) throws NotUnderstoodException {
        if (talk.call() == null && exchange != null) {
            // Such as a 408 on a connection that rests: the answer in hand is not the origin's, and the connection ends behind it.
            payload.skipBytes(payload.readableBytes());
            exchange.closes = true;
            talk.end();
            return;
        }
        talk.answer(payload, (call, output) -> answered(call, exchange, output), back);
    }

    private void answered(OriginCall call, Exchange exchange, Output back) {
        exchange.closes |= call.answer.closes();
        cache.away().answered(way.origin());
        switch (call.purpose) {
            case PASS -> {
                if (Storing.changes(exchange.request.method()) && call.answer.status() < 400) {
                    objects.invalidate(exchange.key);
                }
                relay(exchange, back);
            }
            case FETCH -> fetched(call, exchange, back);
            case VALIDATE -> validated(call, exchange, back);
            default -> filled(call, exchange, back);
        }
    }

    /** The answer goes to the program as it came. */
    private void relay(Exchange exchange, Output back) {
        count(exchange, Result.PASSED);
        land(exchange, true);
        exchange.state = Exchange.State.PASSES;
        talk.relay(back);
    }

    private void fetched(OriginCall call, Exchange exchange, Output back) {
        Head head = call.answer;
        Stored stored = Stored.of(head, call.askedMillis, cache.nowMillis(), Storing.asks(exchange.request, head));
        Reason reason = Storing.refusal(exchange.request, head, call.body, stored, cache.settings().largest(), cache.settings().heuristic());
        if (reason != null) {
            objects.notes().note(exchange.key, reason);
            relay(exchange, back);
            return;
        }
        Map<String, String> variant = Variant.of(exchange.request, head);
        ByteRange.Part part = head.status() == 206 ? ByteRange.content(head.value("content-range")) : null;
        CachedObject object;
        if (part == null) {
            object = objects.add(exchange.key, variant, stored, call.body.length());
            call.fill = objects.begin(object, 0, call.body.length() < 0 ? Long.MAX_VALUE : call.body.length(), waiter);
        } else {
            object = objects.addPart(exchange.key, variant, stored, part.whole());
            call.fill = objects.begin(object, part.range().from(), part.range().until(), waiter);
        }
        call.target = Target.FILL;
        exchange.ownFill = true;
        serveFrom(exchange, object, Result.MISS, exchange.status + "; fwd-status=" + head.status() + "; stored");
    }

    private void validated(OriginCall call, Exchange exchange, Output back) {
        int status = call.answer.status();
        CachedObject object = exchange.object;
        Stored stored = objects.stored(object);
        if (status == 304) {
            String tag = call.answer.value("etag");
            if (tag != null && !tag.equals(stored.etag())) {
                // It speaks of something else than it was asked for.
                objects.notes().note(exchange.key, Reason.CHANGED);
                objects.drop(object);
                exchange.state = Exchange.State.NEW;
                return;
            }
            objects.freshen(object, stored.freshened(call.answer, call.askedMillis, cache.nowMillis(), stored.asks()));
            serveFrom(exchange, object, Result.REVALIDATED, "hit; fwd=stale; fwd-status=304");
        } else if (Using.isError(status) && usableOnError(exchange, stored)) {
            serveFrom(exchange, object, Result.STALE, "hit; fwd=stale; fwd-status=" + status);
        } else if (call.request.method().equals("GET") && (status == 200 || !stored.asks() && !Using.isError(status))) {
            objects.drop(object);
            fetched(call, exchange, back);
        } else {
            relay(exchange, back);
        }
    }

    private void filled(OriginCall call, Exchange exchange, Output back) {
        Head head = call.answer;
        CachedObject object = call.fill.object();
        Stored stored = objects.stored(object);
        boolean isSame = stored.etag().equals(head.value("etag"));
        ByteRange.Part part = ByteRange.content(head.value("content-range"));
        long whole = objects.length(object);
        if (head.status() == 206 && isSame && part != null && part.whole() == whole && part.range().from() == call.fill.frontier()
                && part.range().length() == call.body.length() && part.range().length() <= call.wanted) {
            call.wanted = part.range().length();
            call.target = Target.FILL;
            objects.confirmed(call.fill);
        } else if (head.status() == 200 && isSame && (call.body.length() == whole || call.body.length() < 0)) {
            call.skip = call.fill.frontier();
            call.target = Target.FILL;
            objects.confirmed(call.fill);
        } else {
            refused(call, exchange, object, back);
        }
    }

    /** The origin does not give the rest: the program gets what it says instead, if it has got nothing yet. */
    private void refused(OriginCall call, Exchange exchange, CachedObject object, Output back) {
        int status = call.answer.status();
        boolean isOfUser = status == 401 || status == 403 || status >= 500;
        if (!isOfUser) {
            objects.fail(object, Reason.CHANGED);
        }
        talk.leave();
        if (exchange.answer != null) {
            throw OriginTalk.cut("the origin has answered " + status + " where it was asked for the rest");
        }
        objects.leave(exchange.object);
        exchange.object = null;
        if (status == 200) {
            exchange.status = "fwd=partial";
            call.fetchesInstead();
            fetched(call, exchange, back);
        } else if (status == 206 || status == 416) {
            exchange.state = Exchange.State.NEW;
        } else {
            relay(exchange, back);
        }
    }

    /** The origin ends its direction. */
    void originEnded(Exchange exchange) {
        OriginCall last = talk.end();
        if (last == null) {
            return;
        }
        if (last.target == Target.PROGRAM || last.answer != null && last.body.isUntilEnd()) {
            exchange.state = Exchange.State.DONE;
            return;
        }
        objects.notes().note(exchange.key, Reason.SHORT);
        if (last.answer == null) {
            noAnswer(exchange);
        }
    }

    /** The program sees its connection end, as it would without a cache, and may ask again; who follows asks instead of it. */
    private void noAnswer(Exchange exchange) {
        cache.away().failed(way.origin());
        if (exchange.state == Exchange.State.ASKED && exchange.object != null && usableOnError(exchange, objects.stored(exchange.object))) {
            serveFrom(exchange, exchange.object, Result.STALE, "hit; fwd=stale; detail=no-answer");
        } else if (exchange.state != Exchange.State.SERVED) {
            land(exchange, false);
            exchange.state = Exchange.State.DONE;
        }
    }

    /** See {@link OriginTalk#hasSwitched}. */
    boolean switched() {
        return talk.hasSwitched();
    }

    /**
     * What the origin says is not understood: it passes from here on. Emits what has been read of a head.
     *
     * @throws AnepException if the program has got a part of another answer already
     */
    void giveUp(Exchange exchange, Output back) {
        boolean begun = exchange != null && exchange.state == Exchange.State.SERVED && exchange.answer != null;
        close(exchange);
        talk.giveUp(begun ? null : back);
        if (begun) {
            throw OriginTalk.cut("what the origin says is not understood");
        }
    }

    // What the program gets.

    private boolean serve(Exchange exchange, Output forward, Output back) {
        if (exchange.answer == null) {
            return begins(exchange, forward, back);
        }
        Piece last = writer.write(exchange, waiter, back);
        return last != null && follow(exchange, last, forward);
    }

    /** Says what is to come, as soon as the first of it is there and the origin has agreed to give what is missing: it may have another version by now. */
    private boolean begins(Exchange exchange, Output forward, Output back) {
        OriginCall call = talk.call();
        if (call != null && (call.purpose == Purpose.FILL ? call.answer == null : call.ifPermitted != null && call.target == Target.NOWHERE)) {
            return false;
        }
        Stored stored = objects.stored(exchange.object);
        AnswerHeads answer = AnswerHeads.of(exchange.request, stored, objects.length(exchange.object), stored.age(cache.nowMillis()),
                cache.name() + "; " + exchange.status, exchange.closes);
        Piece gap = call == null && exchange.mayAsk ? objects.gap(exchange.object, answer.from(), answer.until()) : null;
        if (gap != null) {
            return follow(exchange, answer.until(), gap, forward);
        }
        Piece first = objects.piece(exchange.object, answer.from(), answer.until(), waiter);
        if (answer.from() < answer.until() && first.kind() != Piece.Kind.DATA && first.kind() != Piece.Kind.DISK && first.kind() != Piece.Kind.END) {
            exchange.offset = answer.from();
            return follow(exchange, answer.until(), first, forward);
        }
        exchange.offset = answer.from();
        exchange.answer = answer;
        CacheStream.emit(back, Unpooled.wrappedBuffer(answer.head().octets()));
        return true;
    }

    private boolean follow(Exchange exchange, Piece piece, Output forward) {
        return follow(exchange, exchange.answer.until(), piece, forward);
    }

    /** What is to be done where there are no octets. */
    private boolean follow(Exchange exchange, long until, Piece piece, Output forward) {
        switch (piece.kind()) {
            case END -> {
                if (talk.call() != null) {
                    // The rest of what the origin says comes first.
                    return false;
                }
                objects.leave(exchange.object);
                exchange.object = null;
                exchange.state = Exchange.State.DONE;
                return true;
            }
            case ASK, GO_ON -> {
                return askForRest(exchange, piece, forward);
            }
            case GONE -> {
                return gone(exchange);
            }
            default -> {
                return false;
            }
        }
    }

    private boolean askForRest(Exchange exchange, Piece piece, Output forward) {
        if (talk.call() != null) {
            return false;
        }
        if (!exchange.mayAsk) {
            throw OriginTalk.cut("a neighbour gets what is here, and it is not all here");
        }
        if (talk.hasEnded()) {
            throw OriginTalk.cut("the origin has ended its connection");
        }
        OriginCall rest = new OriginCall(Purpose.FILL, Conditions.goOn(exchange.request, objects.stored(exchange.object), piece.start(), piece.until()),
                cache.nowMillis());
        rest.wanted = piece.until() - piece.start();
        if (piece.kind() == Piece.Kind.ASK) {
            rest.fill = objects.begin(exchange.object, piece.start(), piece.until(), waiter);
        } else if (objects.goOn(piece.fill(), waiter)) {
            rest.fill = piece.fill();
            cache.counters().takenOver.increment();
        } else {
            return true;
        }
        return ask(exchange, rest, rest.request.octets(), forward);
    }

    private boolean gone(Exchange exchange) {
        CachedObject object = exchange.object;
        objects.fail(object, Reason.LOST);
        if (exchange.answer != null) {
            throw OriginTalk.cut("whoever fetched it is gone");
        }
        if (talk.call() != null) {
            return false;
        }
        objects.leave(object);
        exchange.object = null;
        exchange.state = Exchange.State.NEW;
        return true;
    }

    /** The stream is gone, or passes from here on. */
    void close(Exchange exchange) {
        OriginCall call = talk.call();
        if (exchange != null && call != null && call.answer == null && call.purpose != Purpose.PASS) {
            cache.away().failed(way.origin());
        }
        talk.leave();
        land(exchange, false);
        if (exchange != null && exchange.state == Exchange.State.SERVED && exchange.object != null) {
            objects.leave(exchange.object);
            exchange.object = null;
            exchange.state = Exchange.State.DONE;
        }
    }
}
