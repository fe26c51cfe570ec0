package org.tamanoir.membership;

import java.util.List;

/**
 * What a back end says of itself, as the body of {@code PUT /members/NAME}. It is whole each time: nothing is left over from an earlier one.
 *
 * @param name     of the back end, the same after a restart: letters in lower case, digits, {@code -} and {@code .}, 1 to 63 of them
 * @param instance of this run of its process, 16 hexadecimal digits: another one under the same name is a restart or an impostor
 * @param sequence counts the reports of the instance from 1; an older one than the last is of no interest
 * @param address  IPv4 or IPv6 where directors send streams to: the back end's own, never the virtual one
 * @param port     of ANEP streams over TCP and UDP, 1 to 65535
 * @param health   port of {@code GET /health} at the same address, 1 to 65535: 200 while it serves
 * @param pool     that it belongs to; {@link #DEFAULT_POOL} if it says nothing
 * @param state    whether it takes new streams
 * @param services that it runs, in the order of their names
 * @param load     now
 * @param outcome  how far it is with the last order of a front-end; null if it had none since it started
 */
public record Report(String name, String instance, long sequence, String address, int port, int health, String pool, State state,
                     List<Service> services, Load load, Outcome outcome) {
    /** The pool of streams that no other pool is for. */
    public static final String DEFAULT_POOL = "default";

    /** Of one that had no order. */
    public Report(String name, String instance, long sequence, String address, int port, int health, String pool, State state, List<Service> services,
                  Load load) {
        this(name, instance, sequence, address, port, health, pool, state, services, load, null);
    }

    /** Whether a back end takes new streams. */
    public enum State {
        /** It does. */
        SERVING,
        /** It finishes those that it has, and takes no others. */
        LEAVING
    }

    /**
     * A service that is active in a back end.
     *
     * @param name     of the service
     * @param typeId   its Type ID
     * @param version  of its bundle
     * @param level    {@code light}, {@code middle} or {@code heavy}
     * @param affinity what it needs of the streams of one application
     */
    public record Service(String name, int typeId, String version, String level, Affinity affinity) {
    }

    /**
     * How busy a back end is.
     *
     * @param streams      that are open
     * @param lagMillis    how late its event loops run what is due, the largest of the last second; milliseconds, not negative
     * @param queuedOctets that wait for receivers
     * @param queueMost    octets that may wait at most, more than 0
     * @param cpu          of the CPU time that its process may use, the part that it used in the last second: 0 to 1
     */
    public record Load(long streams, double lagMillis, long queuedOctets, long queueMost, double cpu) {
    }
}
