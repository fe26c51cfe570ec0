package org.tamanoir.trust.jar;

/**
 * Whether octets are shaped as DER (X.690 section 10): definite lengths, each value inside the one that holds it, not nested deeper than
 * certificates are. Some of the JDK's parsers call themselves for each level, so that nesting without end ends the thread.
 */
final class DerShape {
    /** A CMS SignedData with X.509 certificates has about 15 levels. */
    private static final int MAX_DEPTH = 40;
    private static final int CONSTRUCTED = 0x20;

    private final byte[] octets;
    private int at;

    private DerShape(byte[] octets) {
        this.octets = octets;
    }

    /** Whether it is one value to the last octet. */
    static boolean isOneValue(byte[] octets) {
        return new DerShape(octets).isOneValue();
    }

    private boolean isOneValue() {
        int[] ends = new int[MAX_DEPTH + 1];
        int depth = 0;
        ends[0] = octets.length;
        do {
            boolean holdsValues = at < octets.length && (octets[at] & CONSTRUCTED) != 0;
            int length = header();
            if (length < 0 || length > ends[depth] - at) {
                return false;
            }
            if (holdsValues && depth == MAX_DEPTH) {
                return false;
            }
            if (holdsValues) {
                ends[++depth] = at + length;
            } else {
                at += length;
            }
            while (depth > 0 && at == ends[depth]) {
                depth--;
            }
        } while (depth > 0);
        return at == octets.length;
    }

    /** Reads tag and length; a negative number if they are not allowed. Tags of more than one octet do not occur. */
    private int header() {
        if (at + 2 > octets.length || (octets[at] & 0x1f) == 0x1f) {
            return -1;
        }
        int first = octets[at + 1] & 0xff;
        at += 2;
        if (first < 0x80) {
            return first;
        }
        int more = first & 0x7f;
        if (more == 0 || more > 3 || at + more > octets.length) {
            return -1;
        }
        int length = 0;
        for (int i = 0; i < more; i++) {
            length = length << 8 | octets[at++] & 0xff;
        }
        return length;
    }
}
