package org.tamanoir.wasm.module;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Reads the numbers and names of a module; whatever is not there is EE-650. */
final class OctetReader {
    private static final int LONGEST_NAME = 1000;

    private final byte[] octets;
    private final int end;
    private int at;

    OctetReader(byte[] octets, int from, int end) {
        this.octets = octets;
        this.at = from;
        this.end = end;
    }

    int at() {
        return at;
    }

    int remaining() {
        return end - at;
    }

    boolean hasMore() {
        return at < end;
    }

    int octet() {
        if (at >= end) {
            throw malformed("it ends in the middle, at octet " + at);
        }
        return octets[at++] & 0xFF;
    }

    /** An unsigned number of at most 32 bits (LEB128). */
    long number() {
        long value = 0;
        for (int shift = 0; shift < 35; shift += 7) {
            int octet = octet();
            value |= (long) (octet & 0x7F) << shift;
            if (octet < 0x80) {
                if (value > 0xFFFF_FFFFL) {
                    break;
                }
                return value;
            }
        }
        throw malformed("a number at octet " + at + " is too long");
    }

    /** A number of things that follow, each of at least {@code least} octets. */
    int count(int least) {
        long count = number();
        if (count * least > remaining()) {
            throw malformed(count + " entries are announced at octet " + at + ", and there is no room for them");
        }
        return (int) count;
    }

    /** A reader for the next octets; this one goes on behind them. */
    OctetReader part(long length) {
        if (length > remaining()) {
            throw malformed("a part at octet " + at + " has " + length + " octets, and " + remaining() + " are left");
        }
        OctetReader part = new OctetReader(octets, at, at + (int) length);
        at += (int) length;
        return part;
    }

    String name() {
        int length = count(1);
        if (length > LONGEST_NAME) {
            throw malformed("a name at octet " + at + " has " + length + " octets");
        }
        try {
            String name = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(octets, at, length)).toString();
            at += length;
            return name;
        } catch (CharacterCodingException e) {
            throw malformed("a name at octet " + at + " is no UTF-8");
        }
    }

    void end(String what) {
        if (hasMore()) {
            throw malformed(what + " is longer than what is in it");
        }
    }

    static AnepException malformed(String why) {
        return new AnepException(ErrorCode.NO_MODULE, "this is no WebAssembly module: " + why);
    }
}
