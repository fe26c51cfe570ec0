package org.tamanoir.membership;

import java.util.List;
import org.tamanoir.membership.Welcome.Order;

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

    /**
     * How far a back end is with an {@link Order}; in every {@link Report} until the next order.
     *
     * @param order   its id
     * @param version that is active: the one before until the new one has taken its place; null if none is
     * @param streams that are open while it waits or drains; from then on those that were open when the time to drain was over, 0 or more
     * @param text    {@code EE-nnn …} of {@link State#FAILED}; null otherwise
     */
    public record Outcome(String order, State state, String version, long streams, String text) {
        /** Characters of the text. */
        public static final int MOST_TEXT = 1024;
        /** What is not seen, or makes another line, in a log or on a terminal. */
        private static final String UNSEEN = "[\\p{C}\\p{Zl}\\p{Zp}]+";

        /** How far. */
        public enum State {
            /** It looks what is to be had. */
            WAITING,
            /** It takes no new streams and finishes those that it has. */
            DRAINING,
            /** It gets and starts the new version. */
            UPGRADING,
            /** The version is active, and the back end takes streams as it did before. */
            DONE,
            /** The version before is active, and the back end takes streams as it did before. */
            FAILED;

            /** Whether the order is carried out, well or not. */
            public boolean isEnd() {
                return this == DONE || this == FAILED;
            }
        }

        /** A text as it may stand in a message: one line of 1 to {@link #MOST_TEXT} characters. */
        public static String line(String text) {
            String line = text.replaceAll(UNSEEN, " ").strip();
            // By code points: half of a pair would be no character.
            return line.isEmpty() ? "no reason is given" : line.codePoints().limit(MOST_TEXT).collect(StringBuilder::new, StringBuilder::appendCodePoint,
                    StringBuilder::append).toString();
        }
    }

    /** Which streams must come to the same back end. Ordered: a pool gives what the neediest of its services asks for. */
    public enum Affinity {
        /** None: every stream stands alone. */
        NONE,
        /** Those of one source address, over TCP and UDP: what one of them has left in the node, such as a session, the others find. */
        SOURCE
    }
}
