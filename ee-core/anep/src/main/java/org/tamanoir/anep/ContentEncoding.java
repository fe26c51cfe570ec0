package org.tamanoir.anep;

/** How a payload is encoded on its way between two nodes. */
public enum ContentEncoding {
    /** RFC 1952. */
    GZIP(1),
    /** RFC 8878. */
    ZSTD(2),
    /** Whole packets of the same stream, one after the other: {@link PacketJoiner}. */
    JOINED(3);

    private final int number;

    ContentEncoding(int number) {
        this.number = number;
    }

    /** The octet on the wire. */
    public int number() {
        return number;
    }

    /** The encoding of an octet from the wire, or null if it is none. */
    public static ContentEncoding of(int number) {
        return switch (number) {
            case 1 -> GZIP;
            case 2 -> ZSTD;
            case 3 -> JOINED;
            default -> null;
        };
    }
}
