package org.tamanoir.node.routing.told;

/**
 * Times of the protocol in nanoseconds. All nodes need the same silence: a node that starts waits for longer than its neighbours may still lead streams
 * to it by what it said in an earlier life.
 *
 * @param hello   between two messages to a neighbour when there is nothing to say, and until what was said is said again
 * @param silence a neighbour counts for so long after the last message that it is known to have received; it answers within that
 * @param hold    after a start nothing is believed, and after a neighbour is lost nothing forgotten that it may still use; more than {@code silence}
 * @param forget  a prefix without a way is refused, and not led by a shorter prefix, for at least so long
 * @param again   between two requests for a newer round of a prefix
 * @param full    between two times that everything is told to a neighbour anew
 */
public record ToldTimes(long hello, long silence, long hold, long forget, long again, long full) {
    private static final long MILLI = 1_000_000L;

    /** Of a node. */
    public static final ToldTimes USUAL = new ToldTimes(200 * MILLI, 1_000 * MILLI, 1_500 * MILLI, 5_000 * MILLI, 1_000 * MILLI, 60_000 * MILLI);

    public ToldTimes {
        if (hello <= 0 || silence <= hello || hold <= silence || forget < hold || again <= 0 || full <= 0) {
            throw new IllegalArgumentException("times that do not fit each other: " + hello + ", " + silence + ", " + hold + ", " + forget);
        }
    }
}
