package org.tamanoir.node.firefly;

import java.net.InetSocketAddress;

/**
 * Whom a node tells of its flows, and what of them.
 *
 * @param to         the collector
 * @param experiment as the registry of SciTags numbers it
 * @param activity   as the registry numbers it
 * @param rate       messages a second at most
 * @param label      whether packets of IPv6 to next hops say it, too
 */
public record FireflySettings(InetSocketAddress to, int experiment, int activity, int rate, boolean label) {
    /** The port of collectors. */
    public static final int PORT = 10514;
    public static final int RATE = 1000;
    /** The activity that the registry calls default. */
    public static final int ACTIVITY = 1;
    /** SciTags puts both into a number of 16 bits, six of which are for the activity. */
    public static final int MOST_EXPERIMENT = 1023;
    public static final int MOST_ACTIVITY = 63;
    /** A flow label has nine bits for the experiment. */
    public static final int MOST_LABELLED = 511;
    private static final int RANDOM_BITS = 0xC0103;

    /**
     * The flow label of SciTags (technical specification, section 1.2): from the highest bit on two at random, nine of the experiment, its lowest first, one at
     * random, six of the activity, two at random. Of 20 bits, and never 0.
     */
    int flowLabel(int random) {
        return random & RANDOM_BITS | Integer.reverse(experiment) >>> 23 << 9 | activity << 2;
    }
}
