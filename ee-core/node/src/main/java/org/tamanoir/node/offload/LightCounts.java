package org.tamanoir.node.offload;

import java.util.concurrent.atomic.LongAdder;

/** What the node itself has carried of one light connection of the configuration. */
public final class LightCounts {
    final LongAdder connections = new LongAdder();
    final LongAdder octets = new LongAdder();
    final LongAdder backOctets = new LongAdder();

    /** A connection has begun. */
    public void opened() {
        connections.increment();
    }

    /** Octets of the stream have passed, to the next hop and back. */
    public void carried(long to, long back) {
        octets.add(to);
        backOctets.add(back);
    }
}
