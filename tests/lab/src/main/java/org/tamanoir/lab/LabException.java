package org.tamanoir.lab;

/** Something of the laboratory could not be made, read or run; the message names the command and what it answered. */
public final class LabException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public LabException(String message) {
        super(message);
    }

    public LabException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Of a thread that is told to end, which stays interrupted. @param what it did */
    static LabException interrupted(String what, InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new LabException("interrupted while " + what, cause);
    }
}
