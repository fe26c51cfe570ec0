package org.tamanoir.services.cache.rules;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.tamanoir.services.cache.http.Field;
import org.tamanoir.services.cache.http.Head;

/**
 * What is known of a kept answer besides its content.
 *
 * @param head          status and fields, without those of one connection
 * @param requestMillis when it was asked for, since 1970
 * @param answerMillis  when its head came
 * @param asks          whether the origin must permit each use: it answered somebody with credentials, and does not say {@code public}
 */
public record Stored(Head head, long requestMillis, long answerMillis, boolean asks) {
    private static final int SECOND = 1000;
    /** Statuses whose answers may be kept without a word about it (RFC 9110, section 15.1), among those that are kept. */
    private static final Set<Integer> HEURISTIC = Set.of(200, 203, 300, 301, 308, 404, 410);
    /** Fields of one connection (RFC 9110, section 7.6.1), and of one use of a cache. */
    private static final Set<String> HOP = Set.of("connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authentication-info",
            "transfer-encoding", "te", "trailer", "upgrade", "age", "content-length", "content-range");
    /** Fields that a 304 does not change (RFC 9111, section 3.2). */
    private static final Set<String> OF_CONTENT = Set.of("content-encoding", "content-type", "content-range", "content-length", "etag");

    /** Makes one of an answer. */
    public static Stored of(Head answer, long requestMillis, long answerMillis, boolean asks) {
        int status = answer.status() == 206 ? 200 : answer.status();
        List<Field> fields = new ArrayList<>(kept(answer, Set.of()));
        if (answer.has("age")) {
            // What it had before it came counts, and is told by the cache itself.
            fields.add(new Field("Age", answer.value("age")));
        }
        return new Stored(Head.answer(status, status == 200 ? "OK" : answer.third(), fields), requestMillis, answerMillis, asks);
    }

    private static List<Field> kept(Head answer, Set<String> besides) {
        Set<String> named = answer.value("connection") == null ? Set.of()
                : List.of(answer.value("connection").split(",")).stream().map(name -> name.strip().toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
        return answer.fields().stream().filter(field -> {
            String name = field.name().toLowerCase(Locale.ROOT);
            return !HOP.contains(name) && !named.contains(name) && !besides.contains(name);
        }).toList();
    }

    /** The same after the origin has said by a 304 that it still holds (RFC 9111, section 4.3.4). */
    public Stored freshened(Head notModified, long requestAt, long answerAt, boolean asksNow) {
        List<Field> news = kept(notModified, OF_CONTENT);
        Collection<String> changed = news.stream().map(field -> field.name().toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
        List<Field> fields = new ArrayList<>(head.fields().stream()
                .filter(field -> !changed.contains(field.name().toLowerCase(Locale.ROOT)) && !field.name().equalsIgnoreCase("age")).toList());
        fields.addAll(news);
        return new Stored(new Head(head.first(), head.second(), head.third(), fields), requestAt, answerAt, asksNow);
    }

    public String etag() {
        return head.value("etag");
    }

    /** Whether octets of two answers with this ETag are the same octets (RFC 9110, section 8.8.3). */
    public boolean isStrong() {
        return Conditions.isStrong(etag());
    }

    public String lastModified() {
        return head.value("last-modified");
    }

    /** Whether the origin can be asked whether it still holds. */
    public boolean hasValidator() {
        return etag() != null || Dates.read(lastModified()) != Dates.NONE;
    }

    /**
     * How long it is fresh (RFC 9111, section 4.2.1).
     *
     * @param heuristic the part of the time since it was modified that counts where it says nothing itself, 0 to 1
     * @return seconds
     */
    public long lifetime(double heuristic) {
        CacheControl control = CacheControl.of(head);
        long date = date();
        if (control.has("s-maxage")) {
            return control.seconds("s-maxage", 0);
        }
        if (control.has("max-age")) {
            return control.seconds("max-age", 0);
        }
        if (head.has("expires")) {
            long expires = Dates.read(head.value("expires"));
            return expires == Dates.NONE ? 0 : Math.max(0, (expires - date) / SECOND);
        }
        long modified = Dates.read(lastModified());
        if (modified == Dates.NONE || !HEURISTIC.contains(head.status()) && !control.has("public")) {
            return 0;
        }
        return (long) Math.max(0, heuristic * (date - modified) / SECOND);
    }

    /** Whether it says itself how long it is fresh. */
    boolean isExplicit() {
        CacheControl control = CacheControl.of(head);
        return control.has("s-maxage") || control.has("max-age") || control.has("public") || head.has("expires");
    }

    boolean isHeuristic() {
        return HEURISTIC.contains(head.status());
    }

    private long date() {
        long date = Dates.read(head.value("date"));
        return date == Dates.NONE ? answerMillis : date;
    }

    /** Its age (RFC 9111, section 4.2.3), in seconds. */
    public long age(long nowMillis) {
        long told = head.has("age") && head.value("age").matches("[0-9]{1,10}") ? Long.parseLong(head.value("age")) * SECOND : 0;
        long apparent = Math.max(0, answerMillis - date());
        long corrected = told + Math.max(0, answerMillis - requestMillis);
        return (Math.max(apparent, corrected) + Math.max(0, nowMillis - answerMillis)) / SECOND;
    }
}
