package org.tamanoir.services.cache;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Output;
import org.tamanoir.services.cache.OriginCall.Purpose;
import org.tamanoir.services.cache.OriginCall.Target;
import org.tamanoir.services.cache.http.Body;
import org.tamanoir.services.cache.http.Head;
import org.tamanoir.services.cache.http.HeadReader;
import org.tamanoir.services.cache.http.NotUnderstoodException;
import org.tamanoir.services.cache.objects.CachedObjects;

/** What is said to the origin on one connection, one request after the other, and where the content of its answers goes. */
final class OriginTalk {
    /** Decides what an answer means, as soon as its head has come. */
    @FunctionalInterface
    interface Meaning {
        /** Sets the target of the call. */
        void of(OriginCall call, Output back) throws NotUnderstoodException;
    }

    private final HttpCache cache;
    private final CachedObjects objects;
    private final Way way;
    private final Runnable schedule;
    private final HeadReader answers = new HeadReader(true);
    private OriginCall call;
    private boolean paused;
    private boolean ended;
    private boolean switched;
    /** A head that was read and whose meaning is not known yet. */
    private byte[] inHand = {};

    OriginTalk(HttpCache cache, Way way, Runnable schedule) {
        this.cache = cache;
        this.objects = cache.objects();
        this.way = way;
        this.schedule = schedule;
    }

    /** The request that is not answered wholly; null if there is none. */
    OriginCall call() {
        return call;
    }

    /** The origin has ended its direction. */
    boolean hasEnded() {
        return ended;
    }

    /** The origin has agreed to speak another protocol. */
    boolean hasSwitched() {
        return switched;
    }

    /** An answer that the program has got a part of cannot be completed. */
    static AnepException cut(String why) {
        return new AnepException(ErrorCode.UNREACHABLE, "an answer cannot be completed: " + why);
    }

    /** @param isVersioned whether it is to be asked for its version first */
    void ask(OriginCall asked, byte[] octets, boolean isVersioned, Output forward) {
        if (ended) {
            throw cut("the origin has ended its connection");
        }
        call = asked;
        if (isVersioned) {
            call.version = new VersionQuestion(call.request);
        }
        call.asked = !isVersioned;
        CacheStream.emit(forward, Unpooled.wrappedBuffer(isVersioned ? call.version.question().octets() : octets));
    }

    /** The answer goes to the program as it came. */
    void relay(Output back) {
        call.target = Target.PROGRAM;
        CacheStream.emit(back, Unpooled.wrappedBuffer(inHand));
    }

    /** Whether a packet belongs wholly to an answer that passes, and so passes as it is. */
    boolean passesWhole(ByteBuf payload) throws NotUnderstoodException {
        if (call == null || call.answer == null || call.target != Target.PROGRAM || !call.body.isLeft(payload.readableBytes())) {
            return false;
        }
        cache.counters().fromOrigin.add(payload.readableBytes());
        call.body.take(payload, Body.NOBODY);
        if (call.body.isDone()) {
            ends(true);
        }
        return true;
    }

    /** Takes what has come of an answer. */
    void answer(ByteBuf payload, Meaning meaning, Output back) throws NotUnderstoodException {
        while (payload.isReadable()) {
            if (call == null) {
                throw new NotUnderstoodException("octets of an origin that was not asked");
            }
            if (!call.asked) {
                version(payload, meaning, back);
            } else if (call.answer == null) {
                Head head = answers.read(payload);
                if (head != null) {
                    inHand = answers.raw();
                    answered(head, meaning, back);
                    inHand = new byte[0];
                }
            } else {
                takeBody(payload, back);
            }
            if (switched) {
                CacheStream.emit(back, payload);
            } else if (call != null && call.answer != null && call.body.isDone()) {
                ends(true);
            }
        }
    }

    /** Takes what has come of the answer that says which version the origin has. */
    private void version(ByteBuf payload, Meaning meaning, Output back) throws NotUnderstoodException {
        VersionQuestion version = call.version;
        try {
            Head head = version.hasHead() ? null : answers.read(payload);
            if (head != null && head.status() >= 200) {
                version.answered(head);
            }
            if (!version.hasHead() || !version.take(payload, cache.nowMillis())) {
                return;
            }
        } catch (NotUnderstoodException e) {
            throw cut("what the origin says of its version is not understood: " + e.getMessage());
        }
        call.asked = true;
        Head known = version.toConditions();
        Head refused = version.refused();
        if (refused != null || known != null && !call.needsLeave) {
            Head instead = refused != null ? refused : known;
            inHand = instead.octets();
            answered(instead, meaning, back);
            inHand = new byte[0];
            if (refused != null && call.answer != null) {
                takeBody(version.refusal(), back);
            }
            return;
        }
        call.ifPermitted = known;
        Head next = known != null ? version.leave() : version.get();
        OriginCall asked = call;
        way.execute((forward, unused) -> {
            if (call == asked) {
                CacheStream.emit(forward, Unpooled.wrappedBuffer(next.octets()));
            }
        });
    }

    private void answered(Head head, Meaning meaning, Output back) throws NotUnderstoodException {
        int status = head.status();
        switched = status == 101;
        if (status < 200) {
            if (switched || call.purpose == Purpose.PASS) {
                CacheStream.emit(back, Unpooled.wrappedBuffer(inHand));
            }
            return;
        }
        call.body = Body.of(head, call.request.method());
        Head permitted = call.ifPermitted == null ? null : call.version.permitted(head, call.ifPermitted);
        call.answer = permitted != null ? permitted : call.version == null ? head : call.version.named(head);
        inHand = call.answer == head ? inHand : call.answer.octets();
        meaning.of(call, back);
    }

    private void takeBody(ByteBuf payload, Output back) throws NotUnderstoodException {
        int begin = payload.readerIndex();
        if (call.target != Target.PROGRAM) {
            call.body.take(payload, call.target == Target.FILL ? this::fill : Body.NOBODY);
            return;
        }
        try {
            call.body.take(payload, (from, index, length) -> cache.counters().fromOrigin.add(length));
        } catch (NotUnderstoodException e) {
            payload.readerIndex(begin);
            throw e;
        }
        CacheStream.emit(back, payload.slice(begin, payload.readerIndex() - begin));
    }

    private void fill(ByteBuf from, int index, int length) {
        cache.counters().fromOrigin.add(length);
        int skipped = (int) Math.min(call.skip, length);
        call.skip -= skipped;
        int taken = (int) Math.min(call.wanted, length - skipped);
        call.wanted -= taken;
        if (taken > 0 && !objects.append(call.fill, from, index + skipped, taken) && !paused) {
            paused = way.pauseOrigin(true);
        }
    }

    /** Lets an origin go on that has waited for the disk, if it may. */
    void letGoOn() {
        if (paused && (call == null || call.fill == null || objects.mayGoOn(call.fill))) {
            paused = false;
            way.pauseOrigin(false);
        }
    }

    /** The answer is over; {@code isWhole} unless the origin ended before. */
    private void ends(boolean isWhole) {
        OriginCall over = call;
        call = null;
        if (over.fill != null) {
            objects.end(over.fill, isWhole && over.isBrought());
        }
        letGoOn();
        schedule.run();
    }

    /**
     * The origin ends its direction.
     *
     * @return the request that it has not answered wholly; null if there is none
     */
    OriginCall end() {
        ended = true;
        OriginCall last = call;
        if (last != null) {
            ends(last.answer != null && last.body.isUntilEnd());
        }
        return last;
    }

    /** What the origin says passes from here on: emits what has been read of a head. */
    void giveUp(Output back) {
        byte[] head = inHand.length > 0 ? inHand : answers.partial();
        leave();
        call = null;
        if (back != null) {
            CacheStream.emit(back, Unpooled.wrappedBuffer(head));
        }
    }

    /** Whatever comes is for nobody: another stream may go on with what this one brought. */
    void leave() {
        if (call != null && call.fill != null) {
            objects.leave(call.fill);
            call.fill = null;
        }
    }
}
