package org.tamanoir.services.cache.rules;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One range of octets (RFC 9110, section 14).
 *
 * @param from  the first octet
 * @param until the one behind the last
 */
public record ByteRange(long from, long until) {
    private static final Pattern ONE = Pattern.compile("bytes\\s*=\\s*(\\d{0,18})\\s*-\\s*(\\d{0,18})", Pattern.CASE_INSENSITIVE);
    private static final Pattern CONTENT = Pattern.compile("bytes (\\d{1,18})-(\\d{1,18})/(\\d{1,18})", Pattern.CASE_INSENSITIVE);

    /** Whether a request asks for one range, in octets. */
    public static boolean isOne(String range) {
        Matcher one = ONE.matcher(range);
        return one.matches() && (!one.group(1).isEmpty() || !one.group(2).isEmpty())
                && (one.group(1).isEmpty() || one.group(2).isEmpty() || Long.parseLong(one.group(1)) <= Long.parseLong(one.group(2)));
    }

    /** The octets of an object that a request asks for; null if it has none of them. */
    public static ByteRange of(String range, long length) {
        Matcher one = ONE.matcher(range);
        if (!one.matches()) {
            return null;
        }
        ByteRange asked;
        if (one.group(1).isEmpty()) {
            asked = new ByteRange(Math.max(0, length - Long.parseLong(one.group(2))), length);
        } else {
            long last = one.group(2).isEmpty() ? length - 1 : Long.parseLong(one.group(2));
            asked = new ByteRange(Long.parseLong(one.group(1)), Math.min(length, last + 1));
        }
        return asked.from < asked.until ? asked : null;
    }

    /**
     * A part of a whole, as a 206 says it.
     *
     * @param range the octets
     * @param whole the length of the whole
     */
    public record Part(ByteRange range, long whole) {
    }

    /** What the field Content-Range says; null if that makes no sense. */
    public static Part content(String field) {
        Matcher part = field == null ? null : CONTENT.matcher(field);
        if (part == null || !part.matches()) {
            return null;
        }
        ByteRange range = new ByteRange(Long.parseLong(part.group(1)), Long.parseLong(part.group(2)) + 1);
        long whole = Long.parseLong(part.group(3));
        return range.from < range.until && range.until <= whole ? new Part(range, whole) : null;
    }

    public long length() {
        return until - from;
    }
}
