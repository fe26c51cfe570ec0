package org.tamanoir.paths.wire;

import java.util.Arrays;

/** The values of samples that an observatory knows. Others are kept as they come. */
public enum SampleValue {
    /** Probes that were sent. */
    SENT("sent", Range.FROM_0),
    /** Probes that came back, or arrived. */
    RECEIVED("received", Range.FROM_0),
    /** Of those sent, the part that was lost. */
    LOSS("loss", Range.RATIO),
    /** Runs of losses that follow each other (RFC 3357, loss periods). */
    LOSS_PERIODS("loss-periods", Range.FROM_0),
    /** Packets of the longest of them. */
    LOSS_LONGEST("loss-longest", Range.FROM_0),
    /** Median of the loss distances (RFC 3357), packets. */
    LOSS_DISTANCE("loss-distance", Range.FROM_0),
    /** Round trips, milliseconds. */
    RTT_MIN("rtt-min", Range.FROM_0),
    RTT_MEDIAN("rtt-median", Range.FROM_0),
    RTT_P95("rtt-p95", Range.FROM_0),
    RTT_MAX("rtt-max", Range.FROM_0),
    /** One-way delays, milliseconds. Two clocks measured them: they may be less than 0. */
    DELAY_MIN("delay-min", Range.ANY),
    DELAY_MEDIAN("delay-median", Range.ANY),
    DELAY_P95("delay-p95", Range.ANY),
    /** By how much each of them may be wrong, milliseconds. */
    DELAY_ERROR("delay-error", Range.FROM_0),
    /** Mean of the differences without sign of the delays of packets that follow each other (RFC 3393), milliseconds. */
    JITTER("jitter", Range.FROM_0),
    /** Octets that arrived. */
    OCTETS("octets", Range.FROM_0),
    /** In which they did. */
    SECONDS("seconds", Range.FROM_0),
    /** Of both, Mbit/s. */
    MBITS("mbits", Range.FROM_0),
    /** The same without the time in which TCP was getting fast. */
    STEADY_MBITS("steady-mbits", Range.FROM_0),
    /** TCP connections at once. */
    STREAMS("streams", Range.FROM_0),
    /** Segments that were sent again. */
    RETRANSMISSIONS("retransmissions", Range.FROM_0);

    private enum Range {
        ANY, FROM_0, RATIO
    }

    private final String text;
    private final Range range;

    SampleValue(String text, Range range) {
        this.text = text;
        this.range = range;
    }

    /** As in a sample. */
    public String text() {
        return text;
    }

    /** Why a value of this name is none; null if it is one, or if nothing is known of the name. */
    static String problem(String name, double value) {
        SampleValue known = Arrays.stream(values()).filter(each -> each.text.equals(name)).findFirst().orElse(null);
        boolean isWrong = !Double.isFinite(value) || known != null && (known.range != Range.ANY && value < 0 || known.range == Range.RATIO && value > 1);
        return !isWrong ? null : value + " is " + (!Double.isFinite(value) || known.range == Range.FROM_0 ? "no number from 0" : "no ratio from 0 to 1");
    }
}
