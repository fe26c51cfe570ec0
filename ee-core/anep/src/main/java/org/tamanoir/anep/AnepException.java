package org.tamanoir.anep;

/** An error with a code of {@link ErrorCode}; its message begins with the code. */
public class AnepException extends RuntimeException {
    private final ErrorCode code;

    public AnepException(ErrorCode code, String message) {
        this(code, message, null);
    }

    public AnepException(ErrorCode code, String message, Throwable cause) {
        super(code + " " + message, cause);
        this.code = code;
    }

    public ErrorCode code() {
        return code;
    }

    /** The message without the code in front. */
    public String text() {
        return getMessage().substring(code.toString().length() + 1);
    }
}
