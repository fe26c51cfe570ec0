package org.tamanoir.services.qosmonitoring;

/**
 * What a TCP flow gets out of a path that loses packets.
 *
 * <p>While timeouts are rare: 1.22 MSS / (RTT sqrt(p)) (Mathis, Semke, Mahdavi, Ott, "The Macroscopic Behavior of the TCP Congestion Avoidance
 * Algorithm", 1997, with the constant sqrt(3/2) of an acknowledgement for each segment). It is an upper bound: with a mean window below some
 * eight segments, three duplicate acknowledgements often do not come, and timeouts rule. Then the throughput equation of RFC 5348
 * section 3.1 (Padhye and others, 1998) is used, with the 200 ms that Linux waits at least.
 */
final class TcpModel {
    /** Octets of data in a segment of a 1,500-octet packet over IPv4 without TCP options. */
    static final int MSS = 1460;
    private static final double MATHIS = 1.22;
    private static final double FEW_SEGMENTS = 8;
    private static final double LEAST_TIMEOUT_MS = 200;
    private static final double TIMEOUT_RTTS = 4;
    private static final double BITS_PER_OCTET = 8;

    private TcpModel() {
    }

    /**
     * The rate.
     *
     * @param rttMs mean round trip, over 0
     * @param loss  part of the packets that are lost, over 0 and up to 1
     * @return megabits a second of data
     */
    static double mbps(double rttMs, double loss) {
        double segments = MATHIS / Math.sqrt(loss);
        double msPerSegment = rttMs / segments;
        if (segments < FEW_SEGMENTS) {
            double timeoutMs = Math.max(LEAST_TIMEOUT_MS, TIMEOUT_RTTS * rttMs);
            double timeouts = 3 * Math.sqrt(3 * loss / 8) * loss * (1 + 32 * loss * loss);
            msPerSegment = rttMs * Math.sqrt(2 * loss / 3) + timeoutMs * timeouts;
        }
        return MSS * BITS_PER_OCTET / msPerSegment / 1e3;
    }
}
