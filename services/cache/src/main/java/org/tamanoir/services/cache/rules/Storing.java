package org.tamanoir.services.cache.rules;

import java.util.Set;
import org.tamanoir.services.cache.http.Body;
import org.tamanoir.services.cache.http.Head;

/** Which requests are a cache's to answer, and which answers it may keep (RFC 9111, sections 3 and 4). */
public final class Storing {
    private static final Set<Integer> EXPLICIT = Set.of(302, 303, 307);

    private Storing() {
    }

    /** Why a request is left to the origin; null if it is a cache's to answer. */
    public static Reason refusal(Head request, Body body) {
        String range = request.value("range");
        if (!reads(request.method())) {
            return Reason.METHOD;
        }
        if (!body.isDone()) {
            return Reason.BODY;
        }
        if (request.has("expect") || request.has("upgrade")) {
            return Reason.EXPECT;
        }
        if (CacheControl.of(request).has("no-store")) {
            return Reason.REQUEST_NO_STORE;
        }
        return range != null && (!ByteRange.isOne(range) || request.all("range").size() > 1) ? Reason.RANGES : null;
    }

    /** Whether a method asks for a content. */
    public static boolean reads(String method) {
        return method.equals("GET") || method.equals("HEAD");
    }

    /** Whether a method changes what is kept (RFC 9111, section 4.4). */
    public static boolean changes(String method) {
        return !Set.of("GET", "HEAD", "OPTIONS", "TRACE").contains(method);
    }

    /** Whether a request says who asks. */
    public static boolean hasCredentials(Head request) {
        return request.has("authorization") || request.has("cookie") || request.has("proxy-authorization");
    }

    /** Whether the origin must permit each use of an answer: it was given to somebody with credentials, and is not for everybody. */
    public static boolean asks(Head request, Head answer) {
        return hasCredentials(request) && !CacheControl.of(answer).has("public");
    }

    /**
     * Why an answer to a GET is not kept; null if it may be.
     *
     * @param stored    what would be kept of it
     * @param most      octets of an object
     * @param heuristic as for {@link Stored#lifetime}
     */
    public static Reason refusal(Head request, Head answer, Body body, Stored stored, long most, double heuristic) {
        CacheControl control = CacheControl.of(answer);
        if (control.has("no-store")) {
            return Reason.NO_STORE;
        }
        if (control.has("private")) {
            return Reason.PRIVATE;
        }
        if (answer.has("set-cookie") || answer.has("set-cookie2")) {
            return Reason.SET_COOKIE;
        }
        if (Variant.of(request, answer) == null) {
            return Reason.VARY;
        }
        if (answer.status() == 206) {
            ByteRange.Part part = ByteRange.content(answer.value("content-range"));
            if (!stored.isStrong() || part == null || body.length() != part.range().length()) {
                return Reason.PARTIAL;
            }
            return part.whole() > most ? Reason.TOO_LARGE : useless(stored, heuristic);
        }
        if (!stored.isHeuristic() && !(EXPLICIT.contains(answer.status()) && stored.isExplicit())) {
            return Reason.STATUS;
        }
        if (body.isUntilEnd()) {
            return Reason.NO_LENGTH;
        }
        return body.length() > most ? Reason.TOO_LARGE : useless(stored, heuristic);
    }

    private static Reason useless(Stored stored, double heuristic) {
        boolean isUsed = stored.hasValidator() || !stored.asks() && stored.lifetime(heuristic) > 0 && !CacheControl.of(stored.head()).has("no-cache");
        return isUsed ? null : Reason.NO_VALIDATOR;
    }
}
