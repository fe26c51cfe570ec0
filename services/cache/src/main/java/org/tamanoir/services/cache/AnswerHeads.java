package org.tamanoir.services.cache;

import java.util.ArrayList;
import java.util.List;
import org.tamanoir.services.cache.http.Field;
import org.tamanoir.services.cache.http.Head;
import org.tamanoir.services.cache.objects.CachedObject;
import org.tamanoir.services.cache.rules.ByteRange;
import org.tamanoir.services.cache.rules.Conditions;
import org.tamanoir.services.cache.rules.Stored;

/**
 * What a program is answered from an object: the head, and which octets follow.
 *
 * @param head    of the answer
 * @param from    the first octet of the object
 * @param until   one behind the last; the largest number for the end of an object whose length is not known
 * @param chunked whether the content goes in chunks, because its length is not known
 */
record AnswerHeads(Head head, long from, long until, boolean chunked) {
    private static final String[] OF_CONTENT = {"content-type", "content-encoding", "content-language", "content-length"};
    private static final String CACHE_STATUS = "cache-status";

    /**
     * The answer to a request.
     *
     * @param length of the object; -1 if it is not known yet
     * @param status what the cache says of itself (RFC 9211)
     * @param closes whether the connection ends with it
     */
    static AnswerHeads of(Head request, Stored stored, long length, long age, String status, boolean closes) {
        List<Field> fields = new ArrayList<>(stored.head().without("age", CACHE_STATUS).fields());
        String before = stored.head().value(CACHE_STATUS);
        fields.add(new Field("Age", Long.toString(age)));
        fields.add(new Field("Cache-Status", before == null ? status : before + ", " + status));
        if (closes) {
            fields.add(new Field("Connection", "close"));
        }
        Head head = new Head(stored.head().first(), stored.head().second(), stored.head().third(), fields);
        if (stored.head().status() == 200 && Conditions.has(request) && Conditions.isNotModified(request, stored)) {
            return new AnswerHeads(Head.answer(304, "Not Modified", head.without(OF_CONTENT).fields()), 0, 0, false);
        }
        boolean isBare = request.method().equals("HEAD");
        String range = request.value("range");
        if (range != null && !isBare && stored.head().status() == 200 && length != CachedObject.UNKNOWN && Conditions.rangeHolds(request, stored)) {
            return part(head, ByteRange.of(range, length), length);
        }
        if (length == CachedObject.UNKNOWN) {
            return new AnswerHeads(isBare ? head : head.with("Transfer-Encoding", "chunked"), 0, isBare ? 0 : Long.MAX_VALUE, !isBare);
        }
        return new AnswerHeads(head.with("Content-Length", Long.toString(length)), 0, isBare ? 0 : length, false);
    }

    private static AnswerHeads part(Head head, ByteRange part, long length) {
        if (part == null) {
            Head none = Head.answer(416, "Range Not Satisfiable", head.without(OF_CONTENT).fields());
            return new AnswerHeads(none.with("Content-Range", "bytes */" + length).with("Content-Length", "0"), 0, 0, false);
        }
        Head some = Head.answer(206, "Partial Content", head.fields());
        return new AnswerHeads(some.with("Content-Range", "bytes " + part.from() + "-" + (part.until() - 1) + "/" + length)
                .with("Content-Length", Long.toString(part.length())), part.from(), part.until(), false);
    }

    /** An answer of the cache itself, without content. */
    static Head own(int code, String reason, String status, boolean closes) {
        List<Field> fields = new ArrayList<>(List.of(new Field("Content-Length", "0"), new Field("Cache-Status", status)));
        if (closes) {
            fields.add(new Field("Connection", "close"));
        }
        return Head.answer(code, reason, fields);
    }
}
