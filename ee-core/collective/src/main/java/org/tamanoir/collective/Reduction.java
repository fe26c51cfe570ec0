package org.tamanoir.collective;

/** How two elements become one. */
public enum Reduction {
    SUM(1), MIN(2), MAX(3), PRODUCT(4),
    /** Bit by bit; integers alone. */
    AND(5),
    /** Bit by bit; integers alone. */
    OR(6);

    private static final Reduction[] ALL = values();
    private final int code;

    Reduction(int code) {
        this.code = code;
    }

    /** As in a frame. */
    public int code() {
        return code;
    }

    boolean takes(Element element) {
        return element == Element.INT64 || code < AND.code;
    }

    static Reduction of(int code) {
        return code >= 1 && code <= ALL.length ? ALL[code - 1] : null;
    }
}
