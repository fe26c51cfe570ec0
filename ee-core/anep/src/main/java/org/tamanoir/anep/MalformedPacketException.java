package org.tamanoir.anep;

/** Octets that are no ANEP packet. On UDP the datagram is dropped; on TCP the framing is lost and the connection ends. */
public final class MalformedPacketException extends AnepException {
    public MalformedPacketException(ErrorCode code, String message) {
        super(code, message);
    }

    /** Bad input can come at line rate and the code says all: no stack trace is taken. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
