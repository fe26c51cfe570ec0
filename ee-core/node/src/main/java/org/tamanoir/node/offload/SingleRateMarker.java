package org.tamanoir.node.offload;

import org.tamanoir.service.rule.Colour;
import org.tamanoir.service.rule.Meter.SingleRate;

/** The single rate three color marker of RFC 2697: one rate fills the committed bucket, and what overflows fills the excess bucket. */
final class SingleRateMarker implements Marker {
    private final long rate;
    private final long committedMost;
    private final long excessMost;
    /** After so many nanoseconds both buckets are full; multiplying more would overflow. */
    private final long fullAfter;
    private long committed;
    private long excess;
    private long last;
    private boolean started;

    SingleRateMarker(SingleRate meter) {
        rate = meter.cir();
        committedMost = meter.cbs() * NANOS;
        excessMost = meter.ebs() * NANOS;
        fullAfter = (committedMost + excessMost) / rate + 1;
        committed = committedMost;
        excess = excessMost;
    }

    @Override
    public Colour colour(long nanos, long octets, Colour arrived) {
        fill(nanos);
        long size = octets * NANOS;
        if (arrived == Colour.GREEN && committed >= size) {
            committed -= size;
            return Colour.GREEN;
        }
        if (arrived != Colour.RED && excess >= size) {
            excess -= size;
            return Colour.YELLOW;
        }
        return Colour.RED;
    }

    private void fill(long nanos) {
        if (!started) {
            started = true;
            last = nanos;
        }
        long elapsed = nanos - last;
        if (elapsed <= 0) {
            return;
        }
        last = nanos;
        long more = Math.min(elapsed, fullAfter) * rate;
        long room = committedMost - committed;
        committed += Math.min(more, room);
        if (more > room) {
            excess = Math.min(excessMost, excess + more - room);
        }
    }
}
