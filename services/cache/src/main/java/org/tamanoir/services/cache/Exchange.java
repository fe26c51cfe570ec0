package org.tamanoir.services.cache;

import java.net.InetSocketAddress;
import java.util.Locale;
import org.tamanoir.services.cache.http.Body;
import org.tamanoir.services.cache.http.Head;
import org.tamanoir.services.cache.objects.CachedObject;

/** One request of a program, and how far its answer has come. */
final class Exchange {
    /** What it waits for. */
    enum State {
        /** A decision. */
        NEW,
        /** What somebody else hears of the origin. */
        FOLLOWS,
        /** What the origin says. */
        ASKED,
        /** The origin's answer passes. */
        PASSES,
        /** It is answered from an object. */
        SERVED,
        /** Nothing more. */
        DONE
    }

    final Head request;
    final byte[] raw;
    final Body body;
    final String key;
    final long arrivedMillis;
    State state = State.NEW;
    /** Whether others wait for what it hears of the origin. */
    boolean leads;
    /** Whether it has waited for somebody in vain, and asks for itself. */
    boolean alone;
    /** Whether its origin may be asked for what is missing. */
    boolean mayAsk = true;
    /** Whether its origin was tried before it is asked. */
    boolean probed;
    /** Whether neighbours were asked before its origin is. */
    boolean neighboursAsked;
    /** What was decided for it, once. */
    boolean counted;
    /** The connection ends with it. */
    boolean closes;
    CachedObject object;
    AnswerHeads answer;
    String status;
    long offset;
    /** The program has all of its content, and what ends it. */
    boolean ended;
    /** Whether its content is what the origin brings to it. */
    boolean ownFill;

    /** What an answer is kept under: who says it, in whose name, and of what. */
    static String key(InetSocketAddress origin, Head request) {
        return Way.name(origin) + " http://" + request.value("host").toLowerCase(Locale.ROOT) + request.target();
    }

    Exchange(Head request, byte[] raw, Body body, String key, long arrivedMillis) {
        this.request = request;
        this.raw = raw;
        this.body = body;
        this.key = key;
        this.arrivedMillis = arrivedMillis;
        this.closes = request.closes();
    }
}
