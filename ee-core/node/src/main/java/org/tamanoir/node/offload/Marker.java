package org.tamanoir.node.offload;

import org.tamanoir.service.rule.Colour;
import org.tamanoir.service.rule.Meter;
import org.tamanoir.service.rule.Meter.SingleRate;
import org.tamanoir.service.rule.Meter.TwoRate;

/**
 * A meter with its buckets. Buckets hold nano-octets, octets times 10<sup>9</sup>, so that a rate in octets a second fills them exactly
 * in whole nanoseconds. Not thread-safe.
 */
interface Marker {
    /** Nano-octets of an octet. */
    long NANOS = 1_000_000_000L;

    /**
     * Colours a packet.
     *
     * @param nanos   the time, any clock that does not go back; a time before the last one counts as the last
     * @param octets  of the packet, 0 to 65,575
     * @param arrived the colour that it came with; green for a colour-blind meter
     */
    Colour colour(long nanos, long octets, Colour arrived);

    /** The marker of a meter; its buckets are full. */
    static Marker of(Meter meter) {
        return meter instanceof SingleRate single ? new SingleRateMarker(single) : new TwoRateMarker((TwoRate) meter);
    }
}
