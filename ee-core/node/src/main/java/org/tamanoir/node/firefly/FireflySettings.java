package org.tamanoir.node.firefly;

import java.net.InetSocketAddress;

/**
 * Whom a node tells of its flows, and what of them.
 *
 * @param to         the collector
 * @param experiment as the registry of SciTags numbers it
 * @param activity   as the registry numbers it
 * @param rate       messages a second at most
 */
public record FireflySettings(InetSocketAddress to, int experiment, int activity, int rate) {
    /** The port of collectors. */
    public static final int PORT = 10514;
    public static final int RATE = 1000;
    /** The activity that the registry calls default. */
    public static final int ACTIVITY = 1;
    /** SciTags puts both into a number of 16 bits, six of which are for the activity. */
    public static final int MOST_EXPERIMENT = 1023;
    public static final int MOST_ACTIVITY = 63;
}
