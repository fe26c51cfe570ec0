package org.tamanoir.services.cache.http;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/** Reads one head after another from octets that come in pieces. */
public final class HeadReader {
    /** Octets of a head; whoever sends more is not understood. */
    public static final int MOST = 16 * 1024;
    private static final int FIRST = 1024;

    private final boolean ofAnswers;
    private byte[] octets = new byte[FIRST];
    private int length;
    /** Octets of the line in hand, without its end. */
    private int line;
    private boolean afterReturn;
    private byte[] raw = {};

    /** @param ofAnswers whether it reads answers, or requests */
    public HeadReader(boolean ofAnswers) {
        this.ofAnswers = ofAnswers;
    }

    /**
     * Takes octets up to the end of the head.
     *
     * @return the head; null if there is more to come. What is behind it stays in the buffer
     */
    public Head read(ByteBuf from) throws NotUnderstoodException {
        while (from.isReadable()) {
            if (length == MOST) {
                throw new NotUnderstoodException("a head of more than " + MOST + " octets");
            }
            byte octet = from.readByte();
            if (length == octets.length) {
                octets = Arrays.copyOf(octets, Math.min(MOST, 2 * length));
            }
            octets[length++] = octet;
            if (ends(octet)) {
                return head();
            }
        }
        return null;
    }

    /** Whether the octet ends the head. */
    private boolean ends(byte octet) throws NotUnderstoodException {
        if (afterReturn != (octet == '\n')) {
            throw new NotUnderstoodException("a line that does not end with CR and LF");
        }
        afterReturn = octet == '\r';
        if (octet == '\n') {
            boolean isEmpty = line == 0;
            line = 0;
            if (isEmpty && length == 2) {
                throw new NotUnderstoodException("an empty line in front of a head");
            }
            return isEmpty;
        }
        if (octet != '\r') {
            if (octet >= 0 && octet < ' ' && octet != '\t' || octet == 0x7F || line == 0 && (octet == ' ' || octet == '\t')) {
                throw new NotUnderstoodException("an octet that no head has there: " + octet);
            }
            line++;
        }
        return false;
    }

    private Head head() throws NotUnderstoodException {
        Head head = Head.read(octets, length, ofAnswers);
        raw = Arrays.copyOf(octets, length);
        length = 0;
        return head;
    }

    /** The octets of the head that was read last. */
    public byte[] raw() {
        return raw;
    }

    /** Octets of a head that is not complete, or was not understood. */
    public byte[] partial() {
        return Arrays.copyOf(octets, length);
    }

    /** Whether nothing of a head has come. */
    public boolean isEmpty() {
        return length == 0;
    }
}
