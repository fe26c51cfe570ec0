package org.tamanoir.benchmarks.qos.precision;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What the loads of one couple show together (section 3.6), in percent.
 *
 * @param worstLbe   M-LREWS: the LBE error of the greatest magnitude, with its sign
 * @param worstBe    M-BREWS: the same of BE
 * @param averageLbe A-ALRE: the mean magnitude of the LBE errors
 * @param averageBe  A-ABRE: the same of BE
 * @param utilisation of the link, the least
 */
record Verdict(double worstLbe, double worstBe, double averageLbe, double averageBe, double utilisation) {
    /** Percent: an accuracy of 95 %, as manufacturers promise it. */
    static final double BOUND = 2.5;

    /** @param loads one of each load, at least one */
    static Verdict of(List<Judged> loads) {
        return new Verdict(worst(loads, Judged::errorLbe), worst(loads, Judged::errorBe), average(loads, Judged::errorLbe),
                average(loads, Judged::errorBe), loads.stream().mapToDouble(Judged::utilisation).min().orElseThrow());
    }

    private static double worst(List<Judged> loads, ToDoubleFunction<Judged> error) {
        return loads.stream().mapToDouble(error).reduce((one, other) -> Math.abs(other) > Math.abs(one) ? other : one).orElseThrow();
    }

    private static double average(List<Judged> loads, ToDoubleFunction<Judged> error) {
        return loads.stream().mapToDouble(error).map(Math::abs).average().orElseThrow();
    }

    /** Whether the couple is in the "max" operating region. */
    boolean isInMaxRegion() {
        return Math.abs(worstLbe) <= BOUND && Math.abs(worstBe) <= BOUND;
    }

    /** Whether the couple is in the "avg" operating region. */
    boolean isInAverageRegion() {
        return averageLbe <= BOUND && averageBe <= BOUND;
    }
}
