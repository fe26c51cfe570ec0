package org.tamanoir.dyram.wire;

import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Octets that are no DyRAM message. EE-108: a field has a value that it cannot have. */
public final class BadMessageException extends AnepException {
    private static final long serialVersionUID = 1;

    BadMessageException(String what) {
        super(ErrorCode.BAD_OPTION_VALUE, "no DyRAM message: " + what);
    }
}
