package org.tamanoir.node.tcpstate;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * What the sampling of TCP state has cost, all loops together.
 *
 * @param reads   connections that were asked for
 * @param skipped samples of streams that were due and came later, because the loop had asked for as many connections as it may
 * @param held    octets of memory that samples take
 */
public record TcpStateCounters(LongAdder reads, LongAdder skipped, AtomicLong held) {
    public TcpStateCounters() {
        this(new LongAdder(), new LongAdder(), new AtomicLong());
    }

    /** Takes memory for samples if there is some. */
    boolean take(long octets, long most) {
        if (held.addAndGet(octets) > most) {
            held.addAndGet(-octets);
            return false;
        }
        return true;
    }

    void give(long octets) {
        held.addAndGet(-octets);
    }
}
