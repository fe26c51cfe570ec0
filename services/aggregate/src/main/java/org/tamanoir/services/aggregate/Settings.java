package org.tamanoir.services.aggregate;

/**
 * How a group counts its rounds.
 *
 * @param children  how many contribute to a round; 0 where the readings or the time say so
 * @param waitNanos how long a round of sources waits; above nodes it is longer by as much for each level
 * @param window    rounds that may be open, and results that may wait
 * @param self      the id by which this node contributes to the rounds of the next
 * @param last      whether this is the last node of the path
 */
record Settings(int children, long waitNanos, int window, long self, boolean last) {
    Settings last(boolean isLast) {
        return new Settings(children, waitNanos, window, self, isLast);
    }
}
