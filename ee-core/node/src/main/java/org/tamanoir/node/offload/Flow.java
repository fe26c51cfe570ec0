package org.tamanoir.node.offload;

import java.net.InetSocketAddress;

/** Datagrams of one stream that the kernel carries. Safe for all threads. */
public interface Flow extends AutoCloseable {
    /** Who can carry datagrams: the kernel. */
    interface Carrier {
        /** Grows when it may be worth while to ask {@link #open} again. */
        long generation();

        /**
         * Lets the kernel carry datagrams that a rule forwards.
         *
         * @param sender   of the datagrams
         * @param next     the next hop
         * @param local    this node's socket to it
         * @param streamId of the datagrams; null if they have none
         * @param target   the next hop that their rule names; null if the route names it
         * @return null if the kernel cannot
         */
        Flow open(InetSocketAddress sender, InetSocketAddress next, InetSocketAddress local, int typeId, Long streamId, InetSocketAddress target);
    }

    /**
     * What the kernel has carried, in ANEP packets and their octets.
     *
     * @param lastNanos when the last one passed, {@link System#nanoTime()}; 0 for never
     */
    record Counters(long packets, long octets, long backPackets, long backOctets, long lastNanos) {
        public static final Counters NONE = new Counters(0, 0, 0, 0, 0);

        /** What two flows of a stream have carried, this one first. */
        public Counters plus(Counters later) {
            return new Counters(packets + later.packets, octets + later.octets, backPackets + later.backPackets,
                    backOctets + later.backOctets, Math.max(lastNanos, later.lastNanos));
        }
    }

    /** Whether the kernel carries it still. */
    boolean isOpen();

    /**
     * Datagrams that have gone up though the kernel has the flow: it begins to carry a direction when nothing can be overtaken.
     *
     * @param back of the answers, rather than of the way there
     */
    int up(boolean back);

    /** So many have been dealt with; asked for with {@link #up} before the socket was read until it was empty. */
    void handled(boolean back, int up);

    /** The kernel carries both directions from now on, whatever is on its way. */
    void open();

    /** What it has carried; the last that was known if the kernel does not answer any more. */
    Counters counters();

    @Override
    void close();
}
