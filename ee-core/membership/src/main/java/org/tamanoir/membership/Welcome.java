package org.tamanoir.membership;

import java.util.List;

/**
 * What a front-end answers to a report.
 *
 * @param frontend     its name
 * @param periodMillis how often it wants to hear of the back end
 * @param leaseMillis  after so long without a report the back end gets no new streams; more than the period
 * @param method       how it forwards
 * @param services     virtual addresses whose streams come to this back end: with {@link Method#DIRECT} and {@link Method#TUNNEL} it must have them
 * @param standing     what the front-end makes of it
 * @param why          of a standing other than {@link Standing#IN}; null otherwise
 * @param order        what it is to do; null for nothing
 */
public record Welcome(String frontend, long periodMillis, long leaseMillis, Method method, List<Virtual> services, Standing standing, String why,
                      Order order) {
    /** Without an order. */
    public Welcome(String frontend, long periodMillis, long leaseMillis, Method method, List<Virtual> services, Standing standing, String why) {
        this(frontend, periodMillis, leaseMillis, method, services, standing, why, null);
    }

    /** The same with an order; null for none. */
    public Welcome with(Order wanted) {
        return new Welcome(frontend, periodMillis, leaseMillis, method, services, standing, why, wanted);
    }

    /**
     * An address and port in front of the pool.
     *
     * @param address IPv4 or IPv6
     * @param port    of TCP and UDP
     */
    public record Virtual(String address, int port) {
    }

    /** What a front-end makes of a back end. */
    public enum Standing {
        /** Gets streams, as many as its weight says. */
        IN,
        /** Registered, and has not yet answered the front-end's check. */
        UNCHECKED,
        /** Does not answer the check. */
        DOWN,
        /** Goes and comes too often: waits until it has been well for a while. */
        HELD,
        /** Finishes its streams and gets no new ones. */
        DRAINING
    }
}
