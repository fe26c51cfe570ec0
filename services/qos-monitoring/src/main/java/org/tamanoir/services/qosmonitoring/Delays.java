package org.tamanoir.services.qosmonitoring;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.tamanoir.service.probe.Probes.Answers.Answer;
import org.tamanoir.service.probe.Probes.Train;

/**
 * Delays of the probes of one period, milliseconds; NaN where nothing is known.
 *
 * @param rttMs     mean round trip (RFC 2681)
 * @param rttMinMs  smallest
 * @param rttP95Ms  95 of 100 were no larger (nearest rank)
 * @param oneWayMs  mean way there (RFC 7679)
 * @param errorMs   of {@code oneWayMs}, as both clocks say
 * @param jitterMs  mean of |IPDV| of probes that follow each other and were both answered (RFC 3393 section 2.6)
 * @param dscpKept  whether every probe arrived in its code point; null if the reflector does not say
 */
record Delays(double rttMs, double rttMinMs, double rttP95Ms, double oneWayMs, double errorMs, double jitterMs, Boolean dscpKept) {
    static final Delays UNKNOWN = new Delays(Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, null);
    private static final double NANOS_PER_MS = 1e6;
    /** An error of two clocks up to this is always good enough to speak of one way; milliseconds. */
    private static final double SMALL_ERROR_MS = 1;

    /** Computes from light trains, all with the same code point. */
    static Delays of(Train sent, List<ReceivedTrain> trains) {
        List<Answer> timed = new ArrayList<>();
        double ipdvSum = 0;
        int ipdvs = 0;
        Boolean kept = null;
        for (ReceivedTrain train : trains) {
            Answer before = null;
            for (int i = 0; i < train.packets(); i++) {
                Answer answer = train.timed(i);
                if (answer != null) {
                    timed.add(answer);
                    if (before != null && ReceivedTrain.isConsistent(before, answer)) {
                        ipdvSum += Math.abs(answer.oneWayNanos() - before.oneWayNanos());
                        ipdvs++;
                    }
                }
                before = answer;
                Answer any = train.answer(i);
                if (any != null && any.arrivedDscp() >= 0) {
                    kept = kept == null ? any.arrivedDscp() == sent.dscp() : kept && any.arrivedDscp() == sent.dscp();
                }
            }
        }
        if (timed.isEmpty()) {
            return new Delays(Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, kept);
        }
        double[] rtts = timed.stream().mapToDouble(answer -> answer.roundTripNanos() / NANOS_PER_MS).sorted().toArray();
        double rtt = Arrays.stream(rtts).average().orElseThrow();
        double jitter = ipdvs == 0 ? Double.NaN : ipdvSum / ipdvs / NANOS_PER_MS;
        double error = errorMs(timed, rtt);
        double oneWay = Double.isNaN(error) ? Double.NaN
                : timed.stream().mapToDouble(answer -> answer.oneWayNanos() / NANOS_PER_MS).average().orElseThrow();
        return new Delays(rtt, rtts[0], rtts[(int) Math.ceil(0.95 * rtts.length) - 1], oneWay, error, jitter, kept);
    }

    /**
     * How far the one-way delay can be wrong, or NaN if it means nothing: a clock follows nobody, the error is larger than half of the round
     * trip (which would be the better guess), or a delay there is below nothing or above the round trip, so that what a clock says of its
     * error is wrong.
     */
    private static double errorMs(List<Answer> timed, double rttMs) {
        long error = 0;
        for (Answer answer : timed) {
            long allowed = answer.errorNanos();
            if (!answer.synchronised() || allowed < 0 || answer.oneWayNanos() < -allowed
                    || answer.oneWayNanos() - answer.roundTripNanos() > allowed) {
                return Double.NaN;
            }
            error = Math.max(error, allowed);
        }
        double errorMs = error / NANOS_PER_MS;
        return errorMs <= Math.max(SMALL_ERROR_MS, rttMs / 2) ? errorMs : Double.NaN;
    }
}
