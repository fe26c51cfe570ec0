package org.tamanoir.benchmarks.cluster.failure;

import java.util.List;

/**
 * What one event did to streams.
 *
 * @param kind    {@code killed}, {@code drained} or {@code power-cut}
 * @param opened  new streams
 * @param failed  of them, each with the reason
 * @param until   seconds until new streams were all served, see {@link Attempt#untilServed}; of a drain, until none went to the back end any more
 * @param back    of a drain: seconds from its return until it had a new stream; otherwise 0
 * @param held    open streams that should have gone on
 * @param broken  of them, each with the reason
 * @param own     open streams of the back end that was killed or drained
 * @param before  part of the new streams that it got in the two seconds before: the more, the more would be refused
 * @param longest that an open stream that went on waited for an answer, in seconds
 */
record Event(String kind, int opened, List<String> failed, double until, double back, long held, List<String> broken, long own, double before,
                    double longest) {
    static final String KILLED = "killed";
    static final String DRAINED = "drained";
    static final String POWER_CUT = "power-cut";
}
