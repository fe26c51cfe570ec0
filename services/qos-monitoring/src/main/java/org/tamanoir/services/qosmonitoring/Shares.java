package org.tamanoir.services.qosmonitoring;

/**
 * How the budget is shared: light trains may take three quarters of it, throughput trains get what these leave. Where a part does not
 * suffice, all its intervals are stretched by the same factor.
 *
 * @param light      factor of the time between light trains; 1 or more
 * @param throughput factor of the time between throughput trains; 1 or more
 */
record Shares(double light, double throughput) {
    private static final double LIGHT_PART = 0.75;
    /** Of what is left, so that a throughput train does not always wait for its last octets. */
    private static final double USED = 0.95;

    /**
     * Computes.
     *
     * @param light      octets a second that light trains would need
     * @param throughput octets a second that throughput trains would need
     * @param budget     octets a second
     */
    static Shares of(double light, double throughput, double budget) {
        double most = LIGHT_PART * budget;
        double left = (budget - Math.min(light, most)) * USED;
        return new Shares(Math.max(1, light / most), Math.max(1, throughput / left));
    }
}
