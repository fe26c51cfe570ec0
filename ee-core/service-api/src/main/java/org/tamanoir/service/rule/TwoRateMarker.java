package org.tamanoir.service.rule;

import org.tamanoir.service.rule.Meter.SingleRate;
import org.tamanoir.service.rule.Meter.TwoRate;

/** The two rate three color marker of RFC 2698: a committed and a peak bucket, each filled by a rate of its own. */
final class TwoRateMarker implements Marker {
    private final TokenBucket committed;
    private final TokenBucket peak;
    private long last;
    private boolean started;

    TwoRateMarker(TwoRate meter) {
        committed = new TokenBucket(meter.cir(), meter.cbs());
        peak = new TokenBucket(meter.pir(), meter.pbs());
    }

    /** In place of a marker of the other kind. */
    TwoRateMarker(TwoRate meter, long last, long tokens) {
        this(meter);
        this.last = last;
        started = true;
        committed.startWith(tokens);
        peak.startWith(0);
    }

    @Override
    public Colour colour(long nanos, long octets, Colour arrived) {
        fill(nanos);
        if (arrived == Colour.RED || !peak.take(octets)) {
            return Colour.RED;
        }
        return arrived == Colour.GREEN && committed.take(octets) ? Colour.GREEN : Colour.YELLOW;
    }

    @Override
    public long greenAt(long nanos, long octets) {
        fill(nanos);
        long wait = Math.max(committed.untilHolds(octets), peak.untilHolds(octets));
        return wait == 0 ? nanos : wait == Long.MAX_VALUE ? wait : last + wait;
    }

    @Override
    public Marker change(long nanos, Meter meter) {
        fill(nanos);
        if (!(meter instanceof TwoRate two)) {
            return new SingleRateMarker((SingleRate) meter, last, committed.tokens());
        }
        committed.set(two.cir(), two.cbs());
        peak.set(two.pir(), two.pbs());
        return this;
    }

    private void fill(long nanos) {
        if (!started) {
            started = true;
            last = nanos;
        }
        long elapsed = nanos - last;
        if (elapsed > 0) {
            last = nanos;
            committed.fill(elapsed);
            peak.fill(elapsed);
        }
    }
}
