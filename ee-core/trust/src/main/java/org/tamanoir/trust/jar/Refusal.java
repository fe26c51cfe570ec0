package org.tamanoir.trust.jar;

import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Makes the one error of this package: EE-314. */
final class Refusal {
    private static final int MAX_NAME = 120;

    private Refusal() {
    }

    static AnepException because(String why) {
        return new AnepException(ErrorCode.TAMPERED, "the bundle is not what a publisher signed: " + why);
    }

    static AnepException because(String why, Throwable cause) {
        return new AnepException(ErrorCode.TAMPERED, "the bundle is not what a publisher signed: " + why, cause);
    }

    /** A name that a stranger has chosen, made fit for a log: no control characters, and not long. */
    static String quote(String name) {
        String text = name == null ? "" : name.codePoints().map(c -> Character.isISOControl(c) ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append).toString();
        return text.length() > MAX_NAME ? text.substring(0, MAX_NAME) + "…" : text;
    }
}
