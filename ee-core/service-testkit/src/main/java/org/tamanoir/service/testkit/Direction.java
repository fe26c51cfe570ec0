package org.tamanoir.service.testkit;

/** How far the end of one direction of a stream has come, and the code point with which packets leave in it. */
final class Direction {
    private boolean told;
    private boolean held;
    private boolean over;
    private boolean finishing;
    private final boolean ends;
    private int mark = -1;

    /** @param ends whether it has an end: not over UDP */
    Direction(boolean ends) {
        this.ends = ends;
    }

    /** The handler ends it with the call in hand. */
    void finish() {
        if (!ends) {
            throw new UnsupportedOperationException("a direction of datagrams has no end");
        }
        finishing = true;
    }

    /** The handler is about to be told of the end. */
    void tell() {
        if (told) {
            throw new IllegalStateException("this direction has ended before");
        }
        told = true;
    }

    void hold() {
        if (!told || over) {
            throw new ContractViolation("an end was held outside onEnd and onReturnEnd");
        }
        held = true;
    }

    void release() {
        held = false;
    }

    /** A call of the handler has returned. */
    void settle() {
        over |= finishing || told && !held;
    }

    /** Whether the handler has ended it. */
    boolean hasFinished() {
        return over && finishing;
    }

    /** Whether the end has gone on. */
    boolean isOver() {
        return over;
    }

    void mark(int dscp) {
        if (dscp < -1 || dscp > 63) {
            throw new IllegalArgumentException("the code point " + dscp + " is not from 0 to 63, nor -1");
        }
        mark = dscp;
    }

    /** The code point that the handler has set, or -1. */
    int mark() {
        return mark;
    }
}
