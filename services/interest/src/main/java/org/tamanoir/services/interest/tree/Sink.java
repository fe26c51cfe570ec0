package org.tamanoir.services.interest.tree;

import io.netty.buffer.ByteBuf;
import org.tamanoir.anep.AnepException;
import org.tamanoir.services.interest.filter.Filter;

/** What is to be said to one neighbour. No call may call back into the core. */
public interface Sink {
    /** This is wanted from it, under this number. */
    void subscribe(int number, Filter filter);

    /** This is no longer wanted from it. */
    void unsubscribe(int number);

    /** What it wants under this number is known to everybody. */
    void ready(int number);

    /** An event that it wants. @param in where its frame lies, lent for the call */
    void event(ByteBuf in, int index, int length);

    /** It costs more than it may: its stream ends with this. */
    void refuse(AnepException why);
}
