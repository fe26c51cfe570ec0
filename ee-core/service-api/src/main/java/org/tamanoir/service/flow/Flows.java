package org.tamanoir.service.flow;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;

/** A service's way to send flows to the same service of another node; from {@code ServiceContext.flows()}. Safe for all threads. */
public interface Flows {
    /** Flows of one service that may be under way. */
    int MOST_FLOWS = 4;

    /**
     * Opens the connections of a flow, sends as much as they take until its time is over, and gathers what the other end answers. Each
     * connection is a stream of the service's own Type ID, which goes by the routes of this node and those behind it.
     *
     * @param done told once, on the thread of the service's own tasks
     * @return false if {@link #MOST_FLOWS} are under way, or the node is not ready or stops: nothing will be told then
     */
    boolean send(Flow flow, Consumer<Result> done);

    /**
     * A flow from memory to memory.
     *
     * @param to          where the other node takes streams; a {@link org.tamanoir.service.FlowSink} takes the flow there
     * @param dscp        the code point, 0 to 63
     * @param connections at once, 1 to {@value #MOST_CONNECTIONS}
     * @param length      from when the connections stand, 1 s to 10 min
     * @param opening     payload of the first packet of each connection: who sends, and why it may; at most {@value #MOST_OPENING} octets
     */
    record Flow(InetSocketAddress to, int dscp, int connections, Duration length, byte[] opening) {
        public static final int MOST_CONNECTIONS = 64;
        public static final int MOST_OPENING = 1024;
        private static final Duration SHORTEST = Duration.ofSeconds(1);
        private static final Duration LONGEST = Duration.ofMinutes(10);

        /** @throws IllegalArgumentException that names the part */
        public Flow {
            check(to != null && !to.isUnresolved() && to.getPort() != 0, "the node " + to + " is no address and port");
            check(dscp >= 0 && dscp <= 63, "the code point " + dscp + " is not from 0 to 63");
            check(connections >= 1 && connections <= MOST_CONNECTIONS, connections + " connections; a flow has 1 to " + MOST_CONNECTIONS);
            check(length.compareTo(SHORTEST) >= 0 && length.compareTo(LONGEST) <= 0, "a length of " + length);
            check(opening.length <= MOST_OPENING, "an opening of " + opening.length + " octets; it has at most " + MOST_OPENING);
        }

        private static void check(boolean holds, String otherwise) {
            if (!holds) {
                throw new IllegalArgumentException(otherwise);
            }
        }
    }

    /**
     * What came out of a flow.
     *
     * @param connections one or more; a failed one does not end the others
     */
    record Result(Flow flow, List<Connection> connections) {
        public Result {
            connections = List.copyOf(connections);
        }
    }

    /**
     * One connection of a flow.
     *
     * @param octets          that left: packets with their headers, and at the end up to what the system's buffers hold has not arrived
     * @param nanos           from the first octet to the end of the time
     * @param retransmissions segments that TCP sent again; -1 if the system does not say
     * @param answer          payloads that came back, one behind the other; at most {@value #MOST_ANSWER} octets
     * @param failure         why it ended before it was over, or was not answered; null if it was
     */
    record Connection(long octets, long nanos, long retransmissions, byte[] answer, AnepException failure) {
        public static final int MOST_ANSWER = 4096;
    }
}
