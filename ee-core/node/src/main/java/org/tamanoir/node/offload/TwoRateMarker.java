package org.tamanoir.node.offload;

import org.tamanoir.service.rule.Colour;
import org.tamanoir.service.rule.Meter.TwoRate;

/** The two rate three color marker of RFC 2698: a committed and a peak bucket, each filled by a rate of its own. */
final class TwoRateMarker implements Marker {
    private final Bucket committed;
    private final Bucket peak;
    private long last;
    private boolean started;

    TwoRateMarker(TwoRate meter) {
        committed = new Bucket(meter.cir(), meter.cbs());
        peak = new Bucket(meter.pir(), meter.pbs());
    }

    @Override
    public Colour colour(long nanos, long octets, Colour arrived) {
        if (!started) {
            started = true;
            last = nanos;
        }
        if (nanos > last) {
            committed.fill(nanos - last);
            peak.fill(nanos - last);
            last = nanos;
        }
        long size = octets * NANOS;
        if (arrived == Colour.RED || peak.tokens < size) {
            return Colour.RED;
        }
        peak.tokens -= size;
        if (arrived == Colour.YELLOW || committed.tokens < size) {
            return Colour.YELLOW;
        }
        committed.tokens -= size;
        return Colour.GREEN;
    }

    private static final class Bucket {
        private final long rate;
        private final long most;
        private final long fullAfter;
        private long tokens;

        Bucket(long rate, long burst) {
            this.rate = rate;
            this.most = burst * NANOS;
            this.fullAfter = most / rate + 1;
            this.tokens = most;
        }

        void fill(long nanos) {
            tokens = Math.min(most, tokens + Math.min(nanos, fullAfter) * rate);
        }
    }
}
