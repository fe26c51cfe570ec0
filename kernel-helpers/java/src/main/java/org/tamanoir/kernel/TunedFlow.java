package org.tamanoir.kernel;

import java.net.InetSocketAddress;

/**
 * A TCP flow that a rule has reached, as a pass has found it; {@code struct tam_tune_flow}.
 *
 * @param rule            {@link TuningRule#number}
 * @param window          segments
 * @param ssthresh        segments; 2^31 - 1 before the first loss
 * @param roundTripMicros smoothed
 * @param retransmitted   segments, since the flow began
 * @param acknowledged    octets, likewise
 * @param congestion      what it uses now
 * @param before          what it will have again
 * @param own             its program has chosen another algorithm since, and keeps it
 * @param marked          the class in which its packets go now, from 0; counts if its rule has classes
 */
public record TunedFlow(InetSocketAddress local, InetSocketAddress remote, int rule, int window, int ssthresh, int roundTripMicros, int retransmitted, long acknowledged,
        String congestion, String before, boolean own, int marked) {
}
