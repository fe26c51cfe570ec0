package org.tamanoir.transfer.copy;

import java.util.EnumSet;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** What another try does not change: the copy ends with it. */
final class Refusal extends AnepException {
    private static final Set<ErrorCode> FOR_GOOD = EnumSet.of(ErrorCode.NO_ROUTE, ErrorCode.FORBIDDEN_DESTINATION, ErrorCode.TLS_NEEDED, ErrorCode.NOT_IDENTIFIED,
            ErrorCode.NOT_PERMITTED, ErrorCode.BAD_TOKEN, ErrorCode.TOKEN_TIME, ErrorCode.TOKEN_AUDIENCE, ErrorCode.TOKEN_ISSUER, ErrorCode.TOKEN_REVOKED,
            ErrorCode.TOKEN_EXPOSED, ErrorCode.NOT_AUTHORISED, ErrorCode.BAD_REQUEST, ErrorCode.UNKNOWN_SERVICE);

    Refusal(AnepException why) {
        super(why.code(), why.text(), why);
    }

    /** Whether a stream that ends with it would end so again, by whichever way. */
    static boolean isFor(ErrorCode code) {
        return FOR_GOOD.contains(code);
    }
}
