package org.tamanoir.http;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The octets of a file that a request asks for (RFC 9110, section 14).
 *
 * @param first the first one, counted from 0
 * @param length how many; 0 if the file has none of those that were asked for
 */
record ByteRange(long first, long length) {
    /** One range. Several in one request may be answered with the whole (section 14.2), and are. */
    private static final Pattern FORM = Pattern.compile("bytes=[ \\t]*(?:(\\d{1,18})-(\\d{0,18})|-(\\d{1,18}))[ \\t]*", Pattern.CASE_INSENSITIVE);

    /**
     * What the field {@code Range} asks for.
     *
     * @param size of the file
     * @return null if it makes no sense or is more than one range, so that the whole file is the answer
     */
    static ByteRange of(String field, long size) {
        Matcher form = FORM.matcher(field);
        if (!form.matches()) {
            return null;
        }
        if (form.group(3) != null) {
            long suffix = Math.min(Long.parseLong(form.group(3)), size);
            return new ByteRange(size - suffix, suffix);
        }
        long first = Long.parseLong(form.group(1));
        long last = form.group(2).isEmpty() ? Long.MAX_VALUE : Long.parseLong(form.group(2));
        if (last < first) {
            return null;
        }
        return first >= size ? new ByteRange(0, 0) : new ByteRange(first, Math.min(last, size - 1) - first + 1);
    }

    /** The field {@code Content-Range} of the answer (section 14.4). */
    String contentRange(long size) {
        return length == 0 ? "bytes */" + size : "bytes " + first + "-" + (first + length - 1) + "/" + size;
    }
}
