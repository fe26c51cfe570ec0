package org.tamanoir.benchmarks.qos;

import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Shares of a link for best effort and for less than best effort, in percent of it; they add up to 100. What follows from them is section 3.6 of the report. */
record Couple(int be, int lbe) {
    /** The couples of the report, section 3.5, in its order. Its list has 19 entries, but 97-3 stands there twice. */
    static final List<Couple> ALL = Stream.concat(IntStream.rangeClosed(1, 10).boxed(), Stream.of(15, 20, 25, 30, 35, 40, 45, 50))
            .map(lbe -> new Couple(100 - lbe, lbe)).toList();

    /** @param text as {@code 99-1} @throws IllegalArgumentException if it is none */
    static Couple of(String text) {
        if (text.matches("[1-9]\\d-[1-9]\\d?")) {
            String[] parts = text.split("-");
            Couple couple = new Couple(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
            if (couple.be + couple.lbe == 100) {
                return couple;
            }
        }
        throw new IllegalArgumentException("'" + text + "' is no couple as 99-1 or 50-50");
    }

    /** {@code 99-1}. */
    @Override
    public String toString() {
        return be + "-" + lbe;
    }

    /**
     * What one run has shown, in bits of payload a second.
     *
     * @param offeredBe  what the senders of best effort sent
     * @param offeredLbe what those of less than best effort sent
     * @param be         what came of best effort
     * @param lbe        what came of less than best effort
     * @param sent       datagrams of all senders
     * @param leftOut    datagrams that the senders did not send because they did not get to run
     */
    record Measured(double offeredBe, double offeredLbe, double be, double lbe, long sent, long leftOut) {
        /** The part of the datagrams that may be left out. */
        private static final double BOUND = 0.001;

        /** Whether the senders did not offer what they were told to, because the machine did other things: nothing follows from such a run. */
        boolean isDisturbed() {
            return leftOut > BOUND * (sent + leftOut);
        }
    }

    /**
     * One run against what it should have been.
     *
     * @param shouldBe  what best effort should get
     * @param shouldLbe what less than best effort should get
     * @param capacity  of the link: what it carries of one class that congests it
     */
    record Judged(Measured measured, double shouldBe, double shouldLbe, double capacity) {
        /** Percent of what it should get; above 0 it got more. (The report's sentence has it the other way round, its formula so.) */
        double errorBe() {
            return 100 * (measured.be - shouldBe) / shouldBe;
        }

        double errorLbe() {
            return 100 * (measured.lbe - shouldLbe) / shouldLbe;
        }

        /** Percent of what the link could carry of what was offered. */
        double utilisation() {
            return 100 * (measured.be + measured.lbe) / Math.min(capacity, measured.offeredBe + measured.offeredLbe);
        }
    }

    /**
     * What each class should get: no more than it offers, no less than its share if it wants it, and what one leaves is the other's. That is the
     * max-min fair allocation with the shares as weights, which the report calls the logic of class-based weighted fair queuing.
     */
    Judged judge(Measured measured, double capacity) {
        return new Judged(measured, Math.min(measured.offeredBe, Math.max(capacity * be / 100, capacity - measured.offeredLbe)),
                Math.min(measured.offeredLbe, Math.max(capacity * lbe / 100, capacity - measured.offeredBe)), capacity);
    }

    /**
     * What all loads show together, in percent.
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
}
