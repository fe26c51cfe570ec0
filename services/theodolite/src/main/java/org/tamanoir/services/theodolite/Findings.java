package org.tamanoir.services.theodolite;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.tamanoir.paths.metrics.Jitter;
import org.tamanoir.paths.metrics.LossPattern;
import org.tamanoir.paths.metrics.LossRatio;
import org.tamanoir.paths.metrics.OneWay;
import org.tamanoir.paths.metrics.RoundTrip;
import org.tamanoir.paths.metrics.Spread;
import org.tamanoir.paths.plan.Measurement;
import org.tamanoir.paths.wire.SampleValue;
import org.tamanoir.service.probe.Probes.Answers.Answer;

/** The probes of one run: when each came back, and what that says. Milliseconds; NaN for what did not come. */
final class Findings {
    private static final double MILLI = 1e6;

    private final double[] roundTrips;
    private final double[] there;
    private int sent;
    private boolean synchronised = true;
    private double error;

    Findings(int probes) {
        roundTrips = new double[probes];
        there = new double[probes];
        Arrays.fill(roundTrips, Double.NaN);
        Arrays.fill(there, Double.NaN);
    }

    void sent(int probes) {
        sent += probes;
    }

    /** @param number in the run, from 0 */
    void add(int number, Answer answer) {
        // A clock that was set between two stamps, or a reflector that lies: no time, but it came back.
        roundTrips[number] = Math.max(0, answer.roundTripNanos() / MILLI);
        there[number] = answer.oneWayNanos() / MILLI;
        synchronised &= answer.synchronised();
        error = Math.max(error, answer.errorNanos() / MILLI);
    }

    /** What a sample of this kind has. */
    Map<String, Double> values(Measurement.Kind kind) {
        Map<String, Double> values = new LinkedHashMap<>();
        long received = Arrays.stream(roundTrips).filter(each -> !Double.isNaN(each)).count();
        LossRatio loss = new LossRatio(sent, Math.max(0, sent - received));
        put(values, SampleValue.SENT, sent);
        put(values, SampleValue.RECEIVED, received);
        put(values, SampleValue.LOSS, loss.ratio());
        switch (kind) {
            case ROUND_TRIP -> roundTrip(values);
            case ONE_WAY -> oneWay(values);
            case LOSS -> pattern(values);
            default -> jitter(values, Jitter.of(there));
        }
        return values;
    }

    private void roundTrip(Map<String, Double> values) {
        RoundTrip found = RoundTrip.of(roundTrips);
        if (found != null) {
            put(values, SampleValue.RTT_MIN, found.least());
            put(values, SampleValue.RTT_MEDIAN, found.delays().median());
            put(values, SampleValue.RTT_P95, found.p95());
            put(values, SampleValue.RTT_MAX, Arrays.stream(roundTrips).filter(each -> !Double.isNaN(each)).max().orElseThrow());
            jitter(values, Jitter.of(roundTrips));
        }
    }

    /** Delays are shown if their error is known and small; what needs no common clock always. */
    private void oneWay(Map<String, Double> values) {
        OneWay found = OneWay.of(synchronised ? error : Double.NaN, there);
        if (found == null) {
            return;
        }
        if (found.isPublishable(RoundTrip.of(roundTrips).delays().median())) {
            double[] sorted = Arrays.stream(there).filter(each -> !Double.isNaN(each)).sorted().toArray();
            put(values, SampleValue.DELAY_MIN, found.least());
            put(values, SampleValue.DELAY_MEDIAN, found.delays().median());
            put(values, SampleValue.DELAY_P95, Spread.quantile(sorted, 0.95));
            put(values, SampleValue.DELAY_ERROR, found.error());
        }
        jitter(values, found.jitter());
    }

    private void pattern(Map<String, Double> values) {
        boolean[] lost = new boolean[roundTrips.length];
        for (int i = 0; i < lost.length; i++) {
            lost[i] = Double.isNaN(roundTrips[i]);
        }
        LossPattern pattern = LossPattern.of(lost);
        put(values, SampleValue.LOSS_PERIODS, pattern.lengths().size());
        if (pattern.losses() > 0) {
            put(values, SampleValue.LOSS_LONGEST, pattern.lengths().stream().mapToInt(Integer::intValue).max().orElseThrow());
        }
        double[] distances = pattern.distances().stream().filter(each -> each > 0).mapToDouble(Integer::doubleValue).sorted().toArray();
        if (distances.length > 0) {
            put(values, SampleValue.LOSS_DISTANCE, Spread.quantile(distances, 0.5));
        }
    }

    private static void jitter(Map<String, Double> values, Jitter found) {
        if (found != null) {
            put(values, SampleValue.JITTER, found.mean());
        }
    }

    static void put(Map<String, Double> values, SampleValue name, double value) {
        if (Double.isFinite(value)) {
            values.put(name.text(), value);
        }
    }
}
