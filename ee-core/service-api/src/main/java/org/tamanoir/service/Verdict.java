package org.tamanoir.service;

/**
 * What becomes of a packet after a handler has seen it; the names are netfilter's.
 *
 * <pre>{@code
 * private static final Verdict LATE = Verdict.drop("late");
 * }</pre>
 */
public final class Verdict {
    /** It goes on as it came, without a copy. */
    public static final Verdict PASS = new Verdict("pass");
    /** The handler keeps it or has replaced it, and emits through the {@link Output}. */
    public static final Verdict TAKEN = new Verdict("taken");
    /** It goes no further; counted under the reason "dropped". */
    public static final Verdict DROP = new Verdict("dropped");

    private final String reason;

    private Verdict(String reason) {
        this.reason = reason;
    }

    /** A drop that is counted under a reason of its own; make it once, as a constant: a node counts the first 16 reasons of a service. */
    public static Verdict drop(String reason) {
        return new Verdict(reason);
    }

    public boolean isDrop() {
        return this != PASS && this != TAKEN;
    }

    /** Why the packet was dropped. */
    public String reason() {
        return reason;
    }

    @Override
    public String toString() {
        return reason;
    }
}
