package org.tamanoir.services.qosdecision;

import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.ClassSample;

/** What can be asked of a class. */
enum Metric {
    /** Round trip, milliseconds: "delay" of the active grid paper, table 1. */
    DELAY("delay", " ms", 0.1, true),
    /** Milliseconds. */
    JITTER("jitter", " ms", 0.1, true),
    /** Per cent of packets. */
    LOSS("loss", " %", 0.1, true),
    /** Megabits a second that a flow gets through: the one of table 1 that is of its transport. */
    RATE("rate", " Mb/s", 0.001, false),
    /** How much the rate that a flow gets varies from second to second, per cent: {@code stability}. */
    VARIATION("rate variation", " %", 1, true);

    /** What is more is no measurement. */
    private static final double MOST = 1e12;

    private final String word;
    private final String unit;
    private final double grain;
    private final boolean less;

    /**
     * @param grain what nobody feels: two values so near to each other are as good; also keeps ratios finite
     * @param less  whether less is better
     */
    Metric(String word, String unit, double grain, boolean less) {
        this.word = word;
        this.unit = unit;
        this.grain = grain;
        this.less = less;
    }

    String word() {
        return word;
    }

    /** What options for it begin with. */
    String key() {
        return this == VARIATION ? "stability" : word;
    }

    /** Whether it is measured only where a flow goes that has enough to send: not to know it then says nothing against a class. */
    boolean isOfFlows() {
        return this == VARIATION;
    }

    String unit() {
        return unit;
    }

    /** Whether small values are the good ones; these add up along a path, so a segment keeps a share of the limit. */
    boolean isLess() {
        return less;
    }

    /** The measured value, or NaN if there is none that can be: what is negative, absurd, or more than all packets lost. */
    double of(ClassSample sample, Transport transport) {
        double value = switch (this) {
            case DELAY -> sample.rttMs();
            case JITTER -> sample.jitterMs();
            case LOSS -> sample.lossPct();
            case VARIATION -> sample.rateVariationPct();
            case RATE -> transport == Transport.TCP ? sample.tcpMbps() : sample.udpMbps();
        };
        return value >= 0 && value <= MOST && (this != LOSS || value <= 100) ? value : Double.NaN;
    }

    /** Whether a value keeps a limit. */
    boolean meets(double value, double limit) {
        return less ? value <= limit : value >= limit;
    }

    /** How many times better than a limit a value is: 1 and more if it keeps it. No packet lost, no delay: nothing is better. */
    double margin(double value, double limit) {
        return less && value == 0 ? MOST : worse(limit, value);
    }

    /** A limit in the range of values; one that is none is the strictest. */
    double limit(double value) {
        return value >= 0 ? Math.min(value, MOST) : less ? 0 : MOST;
    }

    /** How many times worse a value is than another one: 1 for as good, less for better; never 0 or endless. */
    double worse(double value, double than) {
        double ratio = (value + grain) / (than + grain);
        return less ? ratio : 1 / ratio;
    }
}
