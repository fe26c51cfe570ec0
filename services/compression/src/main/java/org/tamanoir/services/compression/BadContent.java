package org.tamanoir.services.compression;

import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** A payload that cannot be restored: EE-109. Comes from the wire, maybe at line rate, so it takes no stack trace. */
final class BadContent extends AnepException {
    BadContent(String message) {
        super(ErrorCode.BAD_CONTENT, message);
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
