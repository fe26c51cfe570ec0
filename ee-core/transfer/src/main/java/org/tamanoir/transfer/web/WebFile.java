package org.tamanoir.transfer.web;

import java.net.URI;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.zip.CRC32C;
import org.tamanoir.transfer.FileStamp;

/**
 * What a web server says of a file.
 *
 * @param stamp size, time, and a hash of the tag in the place of the part of the time below a second, which {@code Last-Modified} has not: so a file with another tag
 *     is another file, also for a copy that goes on later. Without time and tag no two answers are of the same file
 * @param etag as it was sent, quotes and all; null for none
 * @param modified {@code Last-Modified} as it was sent; null for none
 * @param ranges whether the server sends parts of it
 */
public record WebFile(URI uri, FileStamp stamp, String etag, String modified, boolean ranges) {
    private static final long SECOND = 1_000_000_000L;
    private static final int MODE = 0644;

    static WebFile of(URI uri, HttpHeaders fields, long size, boolean ranges) {
        String etag = fields.firstValue("ETag").orElse(null);
        String modified = fields.firstValue("Last-Modified").orElse(null);
        return new WebFile(uri, new FileStamp(size, time(etag, seconds(modified)), MODE), etag, modified, ranges);
    }

    private static long time(String etag, Long seconds) {
        if (etag == null && seconds == null) {
            return Instant.now().getEpochSecond() * SECOND + ThreadLocalRandom.current().nextLong(SECOND);
        }
        CRC32C hash = new CRC32C();
        hash.update(etag == null ? new byte[0] : etag.getBytes(StandardCharsets.UTF_8));
        return (seconds == null ? 0 : seconds * SECOND) + (etag == null ? 0 : hash.getValue() % SECOND);
    }

    /** RFC 9110 section 5.6.7; null if it is no time, or one that cannot be counted in nanoseconds. */
    private static Long seconds(String text) {
        try {
            long seconds = text == null ? Long.MAX_VALUE : ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toEpochSecond();
            return Math.abs(seconds) < Long.MAX_VALUE / SECOND - 1 ? seconds : null;
        } catch (DateTimeException e) {
            return null;
        }
    }

    /** Whether an answer is about the same content, as far as it says. */
    public boolean isSame(HttpHeaders fields) {
        String tag = fields.firstValue("ETag").orElse(null);
        String time = fields.firstValue("Last-Modified").orElse(null);
        return (etag == null || tag == null || etag.equals(tag)) && (modified == null || time == null || modified.equals(time));
    }

    /** Fields of a request that fails if the file is another one by now (RFC 9110 section 13.1): a weak tag cannot say so. */
    public Map<String, String> unchanged() {
        Map<String, String> fields = new HashMap<>();
        if (etag != null && !etag.startsWith("W/")) {
            fields.put("If-Match", etag);
        } else if (modified != null) {
            fields.put("If-Unmodified-Since", modified);
        }
        return fields;
    }
}
