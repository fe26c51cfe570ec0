package org.tamanoir.anep;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/**
 * An error with a code of {@link ErrorCode}; its message begins with the code. It is one line without control characters, whatever it was made
 * of: see {@link PlainText}.
 */
public class AnepException extends RuntimeException {
    private final ErrorCode code;

    public AnepException(ErrorCode code, String message) {
        this(code, message, null);
    }

    public AnepException(ErrorCode code, String message, Throwable cause) {
        super(code + " " + PlainText.of(message), cause);
        this.code = code;
    }

    public ErrorCode code() {
        return code;
    }

    /**
     * What went wrong with a file, in plain words: of a file that is missing the JDK says no more than its name. For the end of a message
     * that names the file.
     */
    public static String reason(IOException error) {
        if (error instanceof NoSuchFileException || error instanceof FileNotFoundException) {
            return "there is no such file or directory";
        }
        if (error instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (error instanceof FileAlreadyExistsException || error instanceof NotDirectoryException) {
            return "it is no directory";
        }
        if (error instanceof FileSystemException known && known.getReason() != null) {
            return known.getReason();
        }
        return error.getMessage() == null ? error.getClass().getSimpleName() : error.getMessage();
    }

    /** The message without the code in front. */
    public String text() {
        return getMessage().substring(code.toString().length() + 1);
    }
}
