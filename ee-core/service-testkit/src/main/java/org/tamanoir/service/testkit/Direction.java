package org.tamanoir.service.testkit;

/** How far the end of one direction of a stream has come, and the code point with which packets leave in it. */
final class Direction {
    private boolean told;
    private boolean held;
    private boolean over;
    private int mark = -1;

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
        over = told && !held;
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
