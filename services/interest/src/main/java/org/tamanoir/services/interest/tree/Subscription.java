package org.tamanoir.services.interest.tree;

import org.tamanoir.services.interest.filter.Filter;
import org.tamanoir.services.interest.filter.Where;

/** One filter that one neighbour wants. */
final class Subscription {
    final Neighbour owner;
    final int number;
    final Filter filter;
    /** Null without a predicate. */
    final Where where;
    /** Null if each event goes. */
    final Decimator decimator;
    /** Links whose other side has not said yet that it knows of it. */
    int awaited;
    boolean ready;
    boolean gone;

    Subscription(Neighbour owner, int number, Filter filter, Where where, Decimator decimator) {
        this.owner = owner;
        this.number = number;
        this.filter = filter;
        this.where = where;
        this.decimator = decimator;
    }
}
