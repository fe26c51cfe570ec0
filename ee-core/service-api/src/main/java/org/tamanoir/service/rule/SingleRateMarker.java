package org.tamanoir.service.rule;

import org.tamanoir.service.rule.Meter.SingleRate;
import org.tamanoir.service.rule.Meter.TwoRate;

/** The single rate three color marker of RFC 2697: one rate fills the committed bucket, and what overflows fills the excess bucket. */
final class SingleRateMarker implements Marker {
    private final TokenBucket committed;
    private final TokenBucket excess;
    private long last;
    private boolean started;

    SingleRateMarker(SingleRate meter) {
        committed = new TokenBucket(meter.cir(), meter.cbs());
        excess = new TokenBucket(0, meter.ebs());
    }

    /** In place of a marker of the other kind. */
    SingleRateMarker(SingleRate meter, long last, long tokens) {
        this(meter);
        this.last = last;
        started = true;
        committed.startWith(tokens);
        excess.startWith(0);
    }

    @Override
    public Colour colour(long nanos, long octets, Colour arrived) {
        fill(nanos);
        if (arrived == Colour.GREEN && committed.take(octets)) {
            return Colour.GREEN;
        }
        return arrived != Colour.RED && excess.take(octets) ? Colour.YELLOW : Colour.RED;
    }

    @Override
    public long greenAt(long nanos, long octets) {
        fill(nanos);
        long wait = committed.untilHolds(octets);
        return wait == 0 ? nanos : wait == Long.MAX_VALUE ? wait : last + wait;
    }

    @Override
    public Marker change(long nanos, Meter meter) {
        fill(nanos);
        if (!(meter instanceof SingleRate single)) {
            return new TwoRateMarker((TwoRate) meter, last, committed.tokens());
        }
        committed.set(single.cir(), single.cbs());
        excess.set(0, single.ebs());
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
            excess.add(committed.fill(elapsed));
        }
    }
}
