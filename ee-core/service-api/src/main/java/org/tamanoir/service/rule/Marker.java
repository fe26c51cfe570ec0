package org.tamanoir.service.rule;

import org.tamanoir.service.rule.Meter.SingleRate;
import org.tamanoir.service.rule.Meter.TwoRate;

/**
 * A meter with its buckets, in exact arithmetic ({@link TokenBucket}). The node runs rules with it, and services that meter by themselves do the
 * same with it. Times are of any clock that does not go back; a time before the last one counts as the last. Not thread-safe.
 */
public sealed interface Marker permits SingleRateMarker, TwoRateMarker {
    /**
     * Colours a packet, and takes its tokens.
     *
     * @param nanos   the time
     * @param octets  of the packet, 0 to 65,575
     * @param arrived the colour that it came with; green for a colour-blind meter
     */
    Colour colour(long nanos, long octets, Colour arrived);

    /**
     * When a packet would be green if none came before it: {@code nanos} or later, exact to the nanosecond; {@link Long#MAX_VALUE} for never.
     * Nothing is taken.
     */
    long greenAt(long nanos, long octets);

    /**
     * The marker of another meter in place of this one. What is in the buckets stays, as far as there is room; where the meters are of different
     * kinds the second bucket is empty.
     *
     * @return this one, or a new one for a meter of the other kind
     */
    Marker change(long nanos, Meter meter);

    /** The marker of a meter; its buckets are full. */
    static Marker of(Meter meter) {
        return meter instanceof SingleRate single ? new SingleRateMarker(single) : new TwoRateMarker((TwoRate) meter);
    }
}
