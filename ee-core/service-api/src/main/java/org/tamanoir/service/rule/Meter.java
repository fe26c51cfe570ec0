package org.tamanoir.service.rule;

/**
 * A meter with its rates, in octets of IP packets a second, and its bursts, in octets (on TCP: octets of ANEP packets). Its buckets are
 * full at first. State is in the engine that runs it.
 */
public sealed interface Meter {
    /** The highest rate: a terabit a second. With it and {@link #MOST_BURST}, nano-octets fit 64 bits. */
    long MOST_RATE = 125_000_000_000L;
    /** The largest burst: 2 GiB - 1. */
    long MOST_BURST = Integer.MAX_VALUE;

    /**
     * The single rate three color marker of RFC 2697.
     *
     * @param cir committed rate, 1 to {@link #MOST_RATE}
     * @param cbs committed burst, 0 to {@link #MOST_BURST}
     * @param ebs excess burst; cbs and ebs are not both 0
     */
    record SingleRate(long cir, long cbs, long ebs) implements Meter {
        /**
         * Checks the ranges.
         *
         * @throws IllegalArgumentException that names the parameter
         */
        public SingleRate {
            rate("cir", cir);
            burst("cbs", cbs);
            burst("ebs", ebs);
            if (cbs == 0 && ebs == 0) {
                throw new IllegalArgumentException("cbs and ebs are both 0; one must hold the largest packet (RFC 2697, section 2)");
            }
        }
    }

    /**
     * The two rate three color marker of RFC 2698.
     *
     * @param cir committed rate, 1 to pir
     * @param cbs committed burst, 1 to {@link #MOST_BURST}
     * @param pir peak rate, cir to {@link #MOST_RATE}
     * @param pbs peak burst, 1 to {@link #MOST_BURST}
     */
    record TwoRate(long cir, long cbs, long pir, long pbs) implements Meter {
        /**
         * Checks the ranges.
         *
         * @throws IllegalArgumentException that names the parameter
         */
        public TwoRate {
            rate("cir", cir);
            rate("pir", pir);
            burst("cbs", cbs);
            burst("pbs", pbs);
            if (pir < cir) {
                throw new IllegalArgumentException("pir is " + pir + ", less than cir, " + cir + " (RFC 2698, section 2)");
            }
            if (cbs == 0 || pbs == 0) {
                throw new IllegalArgumentException("cbs and pbs must be more than 0 (RFC 2698, section 2)");
            }
        }
    }

    /** {@link SingleRate}. */
    static Meter singleRate(long cir, long cbs, long ebs) {
        return new SingleRate(cir, cbs, ebs);
    }

    /** {@link TwoRate}. */
    static Meter twoRate(long cir, long cbs, long pir, long pbs) {
        return new TwoRate(cir, cbs, pir, pbs);
    }

    private static void rate(String name, long value) {
        if (value < 1 || value > MOST_RATE) {
            throw new IllegalArgumentException(name + " is " + value + " octets a second; it must be from 1 to " + MOST_RATE);
        }
    }

    private static void burst(String name, long value) {
        if (value < 0 || value > MOST_BURST) {
            throw new IllegalArgumentException(name + " is " + value + " octets; it must be from 0 to " + MOST_BURST);
        }
    }
}
