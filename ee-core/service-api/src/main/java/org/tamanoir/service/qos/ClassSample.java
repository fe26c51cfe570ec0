package org.tamanoir.service.qos;

/**
 * What has been measured of one class on one segment lately. NaN where nothing is known.
 *
 * @param rttMs      mean round trip, milliseconds
 * @param rttMinMs   smallest
 * @param rttP95Ms   95 of 100 were no larger
 * @param oneWayMs   mean delay on the way there; NaN if the clocks do not allow to say
 * @param errorMs    by how much {@code oneWayMs} may be wrong
 * @param jitterMs   mean difference of the one-way delays of packets that follow each other (RFC 3393), without sign
 * @param lossPct    probes that did not come back, per cent
 * @param tcpMbps    what a TCP flow can expect, megabits a second
 * @param udpMbps    what a flow that does not slow down gets through, megabits a second
 * @param probes     probes that this is made of
 * @param passive    whether flows themselves were measured too
 * @param dscpKept   whether probes arrived with the code point that they were sent with; null if reflectors do not say
 * @param ageSeconds since the newest measurement
 * @param rateVariationPct the coefficient of variation of the rates that a flow gets in each second, per cent; NaN while no flow has shown it
 *                   that had more to send, and no trains have
 */
public record ClassSample(double rttMs, double rttMinMs, double rttP95Ms, double oneWayMs, double errorMs, double jitterMs, double lossPct,
        double tcpMbps, double udpMbps, int probes, boolean passive, Boolean dscpKept, double ageSeconds,
        double rateVariationPct) {
    /** A sample that does not say how much rates vary. */
    public ClassSample(double rttMs, double rttMinMs, double rttP95Ms, double oneWayMs, double errorMs, double jitterMs, double lossPct,
            double tcpMbps, double udpMbps, int probes, boolean passive, Boolean dscpKept, double ageSeconds) {
        this(rttMs, rttMinMs, rttP95Ms, oneWayMs, errorMs, jitterMs, lossPct, tcpMbps, udpMbps, probes, passive, dscpKept, ageSeconds, Double.NaN);
    }
}
