package org.tamanoir.transfer.queue;

import java.util.EnumSet;
import java.util.Set;
import org.tamanoir.anep.ErrorCode;

/**
 * What is tried again, and when: after a pause that doubles with each attempt in a row that brought nothing.
 *
 * @param firstMillis the first pause
 * @param longestMillis the longest
 * @param most attempts in a row that bring nothing
 */
public record RetryPolicy(long firstMillis, long longestMillis, int most) {
    public static final RetryPolicy PRESET = new RetryPolicy(10_000, 600_000, 20);

    /** What is so again however often it is tried. */
    private static final Set<ErrorCode> FOR_GOOD = EnumSet.of(ErrorCode.BAD_REQUEST, ErrorCode.BAD_OPTION_VALUE, ErrorCode.NOT_FOUND, ErrorCode.NOT_ALLOWED, ErrorCode.TOO_LARGE,
            ErrorCode.FORBIDDEN_DESTINATION, ErrorCode.NOT_PERMITTED, ErrorCode.TLS_NEEDED, ErrorCode.UNKNOWN_SERVICE);
    /** What may be over if somebody changes a file, or a token. */
    private static final Set<ErrorCode> RARELY = EnumSet.of(ErrorCode.SOURCE_CHANGED, ErrorCode.NOT_IDENTICAL, ErrorCode.NOT_AUTHORISED, ErrorCode.BAD_TOKEN, ErrorCode.TOKEN_TIME,
            ErrorCode.TOKEN_AUDIENCE, ErrorCode.TOKEN_ISSUER, ErrorCode.TOKEN_REVOKED, ErrorCode.TOKEN_EXPOSED, ErrorCode.NOT_IDENTIFIED, ErrorCode.NO_ROUTE);
    private static final int FEW = 3;

    /** Milliseconds until the next attempt; -1 for none. @param failures attempts in a row that brought nothing, at least 1 */
    long pause(ErrorCode code, int failures) {
        int attempts = FOR_GOOD.contains(code) ? 1 : RARELY.contains(code) ? Math.min(FEW, most) : most;
        return failures >= attempts ? -1 : Math.min(longestMillis, firstMillis << Math.min(20, failures - 1));
    }

    /** Whether there is any use in another attempt. */
    public static boolean isForGood(ErrorCode code) {
        return FOR_GOOD.contains(code);
    }
}
