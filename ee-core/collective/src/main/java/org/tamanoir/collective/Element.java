package org.tamanoir.collective;

/** What a vector is made of; big-endian, as all numbers of the network. */
public enum Element {
    /** Signed integers of 64 bits; they wrap around. */
    INT64(1, 8),
    /** IEEE 754 binary32. */
    FLOAT32(2, 4),
    /** IEEE 754 binary64. */
    FLOAT64(3, 8);

    private static final Element[] ALL = values();
    private final int code;
    private final int octets;

    Element(int code, int octets) {
        this.code = code;
        this.octets = octets;
    }

    /** As in a frame. */
    public int code() {
        return code;
    }

    /** Octets of one. */
    public int octets() {
        return octets;
    }

    static Element of(int code) {
        return code >= 1 && code <= ALL.length ? ALL[code - 1] : null;
    }
}
