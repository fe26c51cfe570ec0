package org.tamanoir.services.collect;

import org.tamanoir.collective.Ranks;

/** A member, or a node that speaks for several, below a node. */
final class Branch {
    final int id;
    final Ranks ranks = Ranks.none();
    boolean node;
    /** It needs nothing any more. */
    boolean left;
    /** Its last operation that it has contributed to wholly. */
    long finished;
    /** What comes next of the one after that. */
    long offset;
    /** The same of what it has for others, and how much of that is to come. */
    long dataOffset;
    long dataLeft;
    /** Behind this operation it has saved what it knows. */
    long saved;
    boolean full;
    boolean paused;

    Branch(int id) {
        this.id = id;
    }
}
