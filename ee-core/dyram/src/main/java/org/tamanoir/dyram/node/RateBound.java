package org.tamanoir.dyram.node;

import org.tamanoir.dyram.wire.Codec;
import org.tamanoir.dyram.wire.Message.Data;
import org.tamanoir.dyram.wire.SessionKey;
import org.tamanoir.dyram.wire.SessionTerms;

/**
 * Holds a session to the rate that it was announced with: a quarter more, and bursts of a second or of 256 packets, for what waited in a
 * queue. Whoever sends in the name of a source, or faster than it said, makes a node hand on no more.
 */
final class RateBound {
    private static final double MORE = 1.25;
    private static final int BURST_PACKETS = 256;
    /** IPv4 and UDP. */
    private static final int HEADERS = 28;

    private final double bitsPerNano;
    private final double burst;
    private double allowance;
    private long at;

    RateBound(SessionTerms terms, long now) {
        bitsPerNano = terms.rate() * MORE / 1e9;
        burst = Math.max(terms.rate(), BURST_PACKETS * 8.0 * (terms.packetSize() + Codec.DATA_OVERHEAD + HEADERS));
        allowance = burst;
        at = now;
    }

    boolean allows(long now, Data data) {
        allowance = Math.min(burst, allowance + (now - at) * bitsPerNano);
        at = now;
        // The packet, without the tag that body and overhead both have.
        double bits = 8.0 * (data.body().readableBytes() + Codec.DATA_OVERHEAD + HEADERS - SessionKey.TAG_LENGTH);
        if (allowance < bits) {
            return false;
        }
        allowance -= bits;
        return true;
    }
}
