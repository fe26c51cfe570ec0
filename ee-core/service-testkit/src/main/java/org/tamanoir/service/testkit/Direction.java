package org.tamanoir.service.testkit;

/** How far the end of one direction of a stream has come. */
final class Direction {
    private boolean told;
    private boolean held;
    private boolean over;

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
}
