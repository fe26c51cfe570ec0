package org.tamanoir.http;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** What the server says to requests that it does not take, before any handler sees them. */
final class Refusal {
    private Refusal() {
    }

    /** @param cause what Netty's decoder found */
    static AnepException badHead(Throwable cause) {
        if (cause instanceof TooLongHttpLineException) {
            return new HttpError(414, ErrorCode.BAD_REQUEST, "the request line is too long");
        }
        if (cause instanceof TooLongHttpHeaderException) {
            return new HttpError(431, ErrorCode.BAD_REQUEST, "the header is too long");
        }
        return new HttpError(400, ErrorCode.BAD_REQUEST, "this is no HTTP request");
    }

    static AnepException badChunks() {
        return new HttpError(400, ErrorCode.BAD_REQUEST, "the body's chunks are malformed");
    }

    static AnepException tooSlow() {
        return new HttpError(408, ErrorCode.BAD_REQUEST, "the body came too slowly");
    }

    static AnepException tooLarge(long limit) {
        return new AnepException(ErrorCode.TOO_LARGE, "the body is larger than the " + limit + " octets that are allowed");
    }

    static AnepException tooManyRequests() {
        return new AnepException(ErrorCode.BUSY, "too many requests at once; try again");
    }

    static AnepException tooManyConnections() {
        return new AnepException(ErrorCode.BUSY, "too many connections; try again");
    }

    static AnepException defect() {
        return new AnepException(ErrorCode.INTERNAL, "the server could not answer; its log says why");
    }
}
