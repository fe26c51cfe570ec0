package org.tamanoir.http;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import org.tamanoir.anep.ErrorCode;

/** What is said about octets that are no HTTP. */
final class Malformed {
    private Malformed() {
    }

    /** @param cause what Netty's decoder found */
    static HttpError head(Throwable cause) {
        if (cause instanceof TooLongHttpLineException) {
            return new HttpError(414, ErrorCode.BAD_REQUEST, "the request line is too long");
        }
        if (cause instanceof TooLongHttpHeaderException) {
            return new HttpError(431, ErrorCode.BAD_REQUEST, "the header is too long");
        }
        return new HttpError(400, ErrorCode.BAD_REQUEST, "this is no HTTP request");
    }

    static HttpError body() {
        return new HttpError(400, ErrorCode.BAD_REQUEST, "the body's chunks are malformed");
    }
}
