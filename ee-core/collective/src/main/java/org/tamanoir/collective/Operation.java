package org.tamanoir.collective;

/** What a group does together. */
public enum Operation {
    /** Nobody goes on before all are there. */
    BARRIER(1),
    /** Vectors become one, element by element, for one member or for all. */
    REDUCE(2),
    /** What one member has goes to all others. */
    BROADCAST(3),
    /** What each member has goes to one, or to all. */
    GATHER(4),
    /** The largest of what all have. */
    TOP(5),
    /** How the values of all are distributed, about. */
    QUANTILES(6);

    private static final Operation[] ALL = values();
    private final int code;

    Operation(int code) {
        this.code = code;
    }

    /** As in a frame. */
    public int code() {
        return code;
    }

    static Operation of(int code) {
        return code >= 1 && code <= ALL.length ? ALL[code - 1] : null;
    }
}
