package org.tamanoir.services.cache;

import org.tamanoir.services.cache.http.Body;
import org.tamanoir.services.cache.http.Head;
import org.tamanoir.services.cache.objects.Fill;

/** A request that has gone to the origin, and what has come of its answer. */
final class OriginCall {
    /** What is wanted of the origin. */
    enum Purpose {
        /** That it answers the program. */
        PASS,
        /** The object. */
        FETCH,
        /** Its word that what is kept still holds. */
        VALIDATE,
        /** Octets of an object that are missing. */
        FILL
    }

    /** Where the content of the answer goes. */
    enum Target { PROGRAM, FILL, NOWHERE }

    Purpose purpose;
    final Head request;
    final long askedMillis;
    /** What is asked in front of the request; null for nothing. */
    VersionQuestion version;
    /** Whether the request itself has gone. */
    boolean asked;
    /** Whether the origin has to show that whoever asks may read, besides which version it has. */
    boolean needsLeave;
    /** The 304 that stands if the origin lets whoever asks read; null where that is not asked. */
    Head ifPermitted;
    Head answer;
    Body body;
    Target target = Target.NOWHERE;
    Fill fill;
    /** Octets that the origin sends in front of those that were asked for. */
    long skip;
    /** Octets that the fill is to get. */
    long wanted = Long.MAX_VALUE;

    /** The answer turns out to be another object than the one of which the rest was wanted. */
    void fetchesInstead() {
        purpose = Purpose.FETCH;
        wanted = Long.MAX_VALUE;
        skip = 0;
    }

    /** Whether the fill has got all that the answer was to bring, now that the answer is over. */
    boolean isBrought() {
        return purpose == Purpose.FILL ? wanted == 0 : fill.isThrough() || body.length() < 0;
    }

    OriginCall(Purpose purpose, Head request, long askedMillis) {
        this.purpose = purpose;
        this.request = request;
        this.askedMillis = askedMillis;
    }
}
