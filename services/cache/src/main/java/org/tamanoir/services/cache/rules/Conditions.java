package org.tamanoir.services.cache.rules;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.services.cache.http.Head;

/** Conditions of requests (RFC 9110, section 13). */
public final class Conditions {
    private static final Pattern TAG = Pattern.compile("(?:W/)?\"[^\"]*\"");
    private static final String WEAK = "W/";
    private static final String[] FIELDS = {"if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "if-range"};

    private Conditions() {
    }

    static boolean isStrong(String tag) {
        return tag != null && !tag.startsWith(WEAK) && TAG.matcher(tag).matches();
    }

    /** Whether who asks has what is kept already, so that a 304 is the answer. */
    public static boolean isNotModified(Head request, Stored stored) {
        String tags = request.value("if-none-match");
        if (tags != null) {
            return tags.equals("*") || matches(tags, stored.etag());
        }
        long since = Dates.read(request.value("if-modified-since"));
        long modified = Dates.read(stored.lastModified());
        return since != Dates.NONE && modified != Dates.NONE && modified <= since;
    }

    private static boolean matches(String tags, String tag) {
        if (tag == null) {
            return false;
        }
        Matcher each = TAG.matcher(tags);
        while (each.find()) {
            if (opaque(each.group()).equals(opaque(tag))) {
                return true;
            }
        }
        return false;
    }

    private static String opaque(String tag) {
        return tag.startsWith(WEAK) ? tag.substring(WEAK.length()) : tag;
    }

    /** Whether the range of a request counts for what is kept: true if it has no condition for it. */
    public static boolean rangeHolds(Head request, Stored stored) {
        String condition = request.value("if-range");
        if (condition == null) {
            return true;
        }
        return condition.startsWith("\"") || condition.startsWith(WEAK) ? isStrong(condition) && condition.equals(stored.etag())
                : condition.equals(stored.lastModified()) && isOldEnough(stored);
    }

    /** A date tells two versions apart if the answer came a second later at least (RFC 9110, section 8.8.2.2). */
    private static boolean isOldEnough(Stored stored) {
        long date = Dates.read(stored.head().value("date"));
        return date != Dates.NONE && date - Dates.read(stored.lastModified()) >= 1000;
    }

    /** A request without its conditions. */
    public static Head without(Head request) {
        return request.without(FIELDS);
    }

    /** The request by which the origin says whether what is kept still holds, for whoever asks. */
    public static Head validate(Head request, Stored stored) {
        Head asked = without(request).without("range");
        if (stored.etag() != null) {
            asked = asked.with("If-None-Match", stored.etag());
        }
        return stored.lastModified() == null ? asked : asked.with("If-Modified-Since", stored.lastModified());
    }

    /** The request by which the origin gives the rest of what is kept, and nothing of anything else. */
    public static Head goOn(Head request, Stored stored, long from, long until) {
        return without(request).without("range").with("Range", "bytes=" + from + "-" + (until - 1)).with("If-Range", stored.etag());
    }

    /**
     * Whether what is kept is what a request insists on, as the ranges of a copy do ({@code If-Match}, {@code If-Unmodified-Since}); true if it insists on nothing. If
     * not, only the origin may say so: what is kept may be the older one.
     */
    public static boolean insistsOnSame(Head request, Stored stored) {
        String tags = request.value("if-match");
        if (tags != null) {
            return tags.equals("*") || isStrong(stored.etag()) && TAG.matcher(tags).results().anyMatch(tag -> tag.group().equals(stored.etag()));
        }
        if (!request.has("if-unmodified-since")) {
            return true;
        }
        long since = Dates.read(request.value("if-unmodified-since"));
        long modified = Dates.read(stored.lastModified());
        return since != Dates.NONE && modified != Dates.NONE && modified <= since;
    }

    /** Whether a request has a condition. */
    public static boolean has(Head request) {
        return request.has("if-none-match") || request.has("if-modified-since");
    }
}
