package org.tamanoir.membership;

import java.util.List;
import org.tamanoir.membership.Report.Outcome;

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

    /**
     * A front-end's wish that a back end changes the version of a service, while it is away from its director or in place. It stands in every {@link Welcome}
     * until the back end has said that it is done ({@link Outcome}): the same {@code id} again is the same order, and is carried out once.
     *
     * @param id          16 hexadecimal digits in lower case
     * @param service     its name
     * @param typeId      its Type ID, by which sources have it: a back end that has not loaded the service has no other way to find it
     * @param version     that is wanted, also an older one; null for the newest that the back end finds
     * @param drainMillis for streams to end while the back end takes no new ones, 0 to {@link #MOST_DRAIN}; 0 for a change in place, without leaving
     */
    public record Order(String id, String service, int typeId, String version, long drainMillis) {
        /** Milliseconds: half a day, as a back end is away twice as long at most, and a front-end lets it be away for a day at most. */
        public static final long MOST_DRAIN = 43_200_000;
    }

    /** How a director forwards to back ends (Linux Virtual Server). */
    public enum Method {
        /** Addresses are translated, there and back: answers go through the director, which is the back ends' route. */
        NAT,
        /** Only the frame's address changes: back ends are on the director's link, have the virtual address, and answer by themselves. */
        DIRECT,
        /** Packets travel in packets (IPIP): back ends may be anywhere, have the virtual address, and answer by themselves. */
        TUNNEL
    }
}
