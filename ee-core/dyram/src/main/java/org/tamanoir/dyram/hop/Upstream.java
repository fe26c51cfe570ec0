package org.tamanoir.dyram.hop;

import org.tamanoir.dyram.wire.Message.Data;

/** What lies above a place: the next hop toward the source, or the source itself. */
public interface Upstream {
    /**
     * A packet is missing here, and nobody below has it; or nobody below has what was asked of this place.
     *
     * @param index which packet
     * @param rank  how often it was asked for before
     */
    void ask(long index, int rank);

    /** A repair that was asked of this place; lent during the call. */
    void repair(Data data);

    /** A member's repair was wrong. */
    void wrong(long index, int member);

    /** Nanoseconds in which what is asked for comes. */
    long patience();

    /** Whether above is this very host: then it is worth waiting for all links before asking. */
    boolean isHere();
}
