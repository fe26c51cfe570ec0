package org.tamanoir.services.cache;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.services.cache.http.Body;
import org.tamanoir.services.cache.http.Field;
import org.tamanoir.services.cache.http.Head;
import org.tamanoir.services.cache.http.NotUnderstoodException;
import org.tamanoir.services.cache.rules.ByteRange;
import org.tamanoir.services.cache.rules.Conditions;
import org.tamanoir.services.cache.rules.Dates;
import org.tamanoir.services.cache.rules.Stored;

/**
 * Which version of a file an origin has that does not say so in its answers, as XRootD's HTTP port: asked by PROPFIND (RFC 4918) in front of each GET, with the
 * credentials of whoever asks. The version is length and time of modification. With it the cache does by itself what such an origin does not: conditions, and ranges under
 * a condition.
 */
final class VersionQuestion {
    /** Octets of an answer; one about a single file has a few hundred. */
    private static final int MOST = 64 * 1024;
    /** Whatever was modified more lately may be modified again without another time (RFC 9110, section 8.8.2.2). */
    private static final long LEAST_AGE_MILLIS = Duration.ofSeconds(2).toMillis();
    private static final int MULTI_STATUS = 207;
    private static final int LEAST_REFUSAL = 300;
    private static final int PARTIAL = 206;
    private static final ByteRange FIRST = new ByteRange(0, 1);
    private static final Pattern LENGTH = property("getcontentlength", "[0-9]{1,18}");
    private static final Pattern MODIFIED = property("getlastmodified", "[^<]{1,64}");

    private final Head wanted;
    private final ByteBuf content = Unpooled.buffer();
    private Head said;
    private Body body;
    private long length;
    private String modified;
    private String date;

    private static Pattern property(String name, String value) {
        return Pattern.compile("<(?:[A-Za-z0-9_]+:)?" + name + "(?:\\s[^>]*)?>\\s*(" + value + ")\\s*</");
    }

    /** @param wanted the GET that the origin is to answer */
    VersionQuestion(Head wanted) {
        this.wanted = wanted;
    }

    /** What the origin is asked first. */
    Head question() {
        List<Field> fields = new ArrayList<>(wanted.fields().stream().filter(field -> field.is("host") || field.is("authorization") || field.is("cookie")).toList());
        fields.add(new Field("Depth", "0"));
        fields.add(new Field("Content-Length", "0"));
        return new Head("PROPFIND", wanted.target(), wanted.third(), fields);
    }

    /** The head of its answer. */
    void answered(Head head) throws NotUnderstoodException {
        body = Body.of(head, "PROPFIND");
        said = head;
    }

    boolean hasHead() {
        return body != null;
    }

    /** Takes content of its answer. @return whether that was all */
    boolean take(ByteBuf octets, long nowMillis) throws NotUnderstoodException {
        body.take(octets, (from, index, count) -> content.writeBytes(from, index, Math.min(count, MOST - content.readableBytes())));
        if (body.isDone() && said.status() == MULTI_STATUS) {
            read(nowMillis);
        }
        return body.isDone();
    }

    private void read(long nowMillis) {
        String text = content.toString(UTF_8);
        String lengthText = only(LENGTH, text);
        String modifiedText = only(MODIFIED, text);
        long at = Dates.read(modifiedText);
        if (lengthText != null && at != Dates.NONE && nowMillis - at >= LEAST_AGE_MILLIS) {
            length = Long.parseLong(lengthText);
            modified = modifiedText;
            date = Dates.write(nowMillis);
        }
    }

    private static String only(Pattern property, String text) {
        Matcher matcher = property.matcher(text);
        String value = matcher.find() ? matcher.group(1) : null;
        return matcher.find() ? null : value;
    }

    /**
     * The answer to the GET where there will be no other: the origin has refused the question, or leads elsewhere, and ends the connection, as XRootD does for a file that
     * is not there or not for whoever asks. Its content is in {@link #refusal}. Null where it goes on.
     */
    Head refused() {
        if (said.status() < LEAST_REFUSAL || !said.closes()) {
            return null;
        }
        return said.without("content-length", "transfer-encoding").with("Content-Length", Integer.toString(content.readableBytes()));
    }

    /** What the origin has said with its refusal; lent. */
    ByteBuf refusal() {
        return content;
    }

    private boolean isKnown() {
        return modified != null;
    }

    private Head with(Head answer) {
        return answer.without("etag", "last-modified", "date").with("Date", date).with("ETag", "\"" + Long.toHexString(length) + "-" + Long.toHexString(Dates.read(modified)) + "\"")
                .with("Last-Modified", modified);
    }

    /** What the origin would have said to the conditions of the GET: 304 or 412; null if it has to be asked. */
    Head toConditions() {
        if (!isKnown()) {
            return null;
        }
        if (!Conditions.insistsOnSame(wanted, stored())) {
            return with(Head.answer(412, "Precondition Failed", List.of(new Field("Content-Length", "0"))));
        }
        return Conditions.has(wanted) && Conditions.isNotModified(wanted, stored()) ? with(Head.answer(304, "Not Modified", List.of())) : null;
    }

    private Stored stored() {
        return Stored.of(with(Head.answer(200, "OK", List.of())), 0, 0, false);
    }

    /** The GET, without the conditions that the version has answered; as it was if there is no version. */
    Head get() {
        if (!isKnown()) {
            return wanted;
        }
        Head asked = Conditions.without(wanted);
        return Conditions.rangeHolds(wanted, stored()) ? asked : asked.without("range");
    }

    /** A GET by which the origin says whether whoever asks may read, at the price of one octet: PROPFIND may be allowed to those who may not. */
    Head leave() {
        return length == 0 ? get() : get().without("range").with("Range", "bytes=0-0");
    }

    /**
     * What the answer to {@link #leave} says of the version.
     *
     * @param notModified what {@link #toConditions} has said
     * @return the same if it is still there, a 304 of another version if not; null if the answer itself is what counts
     */
    Head permitted(Head answer, Head notModified) {
        if (answer.status() != PARTIAL) {
            return null;
        }
        ByteRange.Part part = ByteRange.content(answer.value("content-range"));
        boolean isSame = part != null && part.whole() == length && part.range().equals(FIRST);
        return isSame ? notModified : notModified.without("etag").with("ETag", "\"changed\"");
    }

    /** The answer to the GET with its version in it, if it is of that version by its length and names none. */
    Head named(Head answer) throws NotUnderstoodException {
        ByteRange.Part part = answer.status() == 206 ? ByteRange.content(answer.value("content-range")) : null;
        long whole = answer.status() == 200 ? Body.of(answer, "GET").length() : part == null ? -1 : part.whole();
        return isKnown() && whole == length && !answer.has("etag") && !answer.has("last-modified") ? with(answer) : answer;
    }
}
