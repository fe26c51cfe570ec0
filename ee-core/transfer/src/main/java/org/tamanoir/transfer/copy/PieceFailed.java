package org.tamanoir.transfer.copy;

import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** One piece cannot be read or written; the stream that says so goes on. */
final class PieceFailed extends AnepException {
    PieceFailed(ErrorCode code, String text, Throwable cause) {
        super(code, text, cause);
    }

    static PieceFailed of(AnepException e) {
        return e instanceof PieceFailed known ? known : new PieceFailed(e.code(), e.text(), e);
    }
}
