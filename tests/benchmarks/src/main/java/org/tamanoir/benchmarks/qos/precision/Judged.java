package org.tamanoir.benchmarks.qos.precision;

/**
 * One run against what it should have been (section 3.6).
 *
 * @param measured  in bits of payload a second
 * @param shouldBe  what best effort should get
 * @param shouldLbe what less than best effort should get
 * @param capacity  of the link: what it carries of one class that congests it
 */
record Judged(Measured measured, double shouldBe, double shouldLbe, double capacity) {
    /**
     * What each class should get: no more than it offers, no less than its share if it wants it, and what one leaves is the other's. That is the
     * max-min fair allocation with the shares as weights, which the report calls the logic of class-based weighted fair queuing.
     */
    static Judged of(Couple couple, Measured measured, double capacity) {
        double shareBe = capacity * couple.be() / 100;
        double shareLbe = capacity * couple.lbe() / 100;
        double be = Math.min(measured.offeredBe(), Math.max(shareBe, capacity - measured.offeredLbe()));
        double lbe = Math.min(measured.offeredLbe(), Math.max(shareLbe, capacity - measured.offeredBe()));
        return new Judged(measured, be, lbe, capacity);
    }

    /** Percent of what it should get; above 0 it got more. (The report's sentence has it the other way round, its formula so.) */
    double errorBe() {
        return 100 * (measured.be() - shouldBe) / shouldBe;
    }

    /** The same of less than best effort. */
    double errorLbe() {
        return 100 * (measured.lbe() - shouldLbe) / shouldLbe;
    }

    /** Percent of what the link could carry of what was offered. */
    double utilisation() {
        return 100 * (measured.be() + measured.lbe()) / Math.min(capacity, measured.offeredBe() + measured.offeredLbe());
    }

    /** Whether both classes are as near to what they should get as line cards are promised to be. */
    boolean isExact() {
        return Math.abs(errorBe()) <= Verdict.BOUND && Math.abs(errorLbe()) <= Verdict.BOUND;
    }
}
