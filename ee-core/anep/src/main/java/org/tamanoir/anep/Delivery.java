package org.tamanoir.anep;

/** In which form the last node hands a stream to its destination. */
public enum Delivery {
    /** ANEP packets. */
    ANEP(0),
    /** The payloads alone: for an ordinary server. */
    RAW(1);

    private final int number;

    Delivery(int number) {
        this.number = number;
    }

    /** The octet on the wire. */
    public int number() {
        return number;
    }

    /** The delivery of an octet from the wire, or null if it is none. */
    public static Delivery of(int number) {
        return switch (number) {
            case 0 -> ANEP;
            case 1 -> RAW;
            default -> null;
        };
    }
}
