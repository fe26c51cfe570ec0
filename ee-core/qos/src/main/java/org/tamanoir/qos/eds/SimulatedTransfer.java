package org.tamanoir.qos.eds;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;

/**
 * A reliable transfer over a {@link SimulatedLink} with additive increase and multiplicative decrease (RFC 5681) and selective acknowledgements: what TCP and SCTP
 * have in common. Its {@link Marking} says which class a packet goes in. Answers are not lost; they come back at once.
 */
public final class SimulatedTransfer {
    /** Answers to later packets that make one lost (RFC 5681). */
    private static final int EVIDENCE = 3;
    /** RFC 6298's and SCTP's least. */
    private static final long LEAST_TIMEOUT = 1_000_000_000L;
    private static final int MOST_DOUBLINGS = 6;

    private static final class Flight {
        private final long packet;
        private final int c;
        private int evidence;

        private Flight(long packet, int c) {
            this.packet = packet;
            this.c = c;
        }
    }

    private final Simulation simulation;
    private final SimulatedLink link;
    private final Marking marking;
    private final int length;
    private final long roundTrip;
    private final long size;
    private final Runnable done;
    /** By the number of the transmission, which no other has. */
    private final TreeMap<Long, Flight> flights = new TreeMap<>();
    private final Deque<Long> again = new ArrayDeque<>();
    private double window;
    private double threshold = Double.MAX_VALUE;
    private long next;
    private long transmissions;
    private long answered;
    private long recovery = -1;
    private long round = -1;
    private long deadline;
    private long planned = Long.MAX_VALUE;
    private int doublings;
    private int timeouts;

    /**
     * Begins at once.
     *
     * @param length    octets of a packet on the link
     * @param roundTrip nanoseconds without queue and transmission
     * @param size      packets
     * @param window    packets that go before the first answer
     * @param done      is run when all were answered
     */
    public SimulatedTransfer(Simulation simulation, SimulatedLink link, Marking marking, int length, long roundTrip, long size, int window, Runnable done) {
        this.simulation = simulation;
        this.link = link;
        this.marking = marking;
        this.length = length;
        this.roundTrip = roundTrip;
        this.size = size;
        this.window = window;
        this.done = done;
        send();
        watch();
    }

    /** Packets that have arrived. */
    public long answered() {
        return answered;
    }

    public int timeouts() {
        return timeouts;
    }

    private void send() {
        while (flights.size() < (long) window && (!again.isEmpty() || next < size)) {
            boolean repeated = !again.isEmpty();
            long packet = repeated ? again.poll() : next++;
            long number = transmissions++;
            int c = Math.min(repeated ? marking.again() : marking.first(), link.classes() - 1);
            flights.put(number, new Flight(packet, c));
            if (round < 0) {
                round = number;
            }
            link.send(c, length, waited -> simulation.after(roundTrip, () -> answer(number)));
        }
    }

    private void answer(long number) {
        Flight flight = flights.remove(number);
        if (flight == null) {
            // It was given up, and has arrived all the same: the copy is for nothing.
            return;
        }
        answered++;
        doublings = 0;
        if (number > recovery) {
            window += window < threshold ? 1 : 1 / window;
        }
        List<Long> lost = new ArrayList<>();
        flights.headMap(number).forEach((earlier, missing) -> {
            if (marking.tellsOf(missing.c, flight.c) && ++missing.evidence == EVIDENCE) {
                lost.add(earlier);
            }
        });
        lost.forEach(this::lost);
        if (number >= round) {
            marking.roundTrip();
            round = -1;
        }
        if (answered == size) {
            done.run();
            return;
        }
        send();
        watch();
    }

    private void lost(long number) {
        again.add(flights.remove(number).packet);
        if (number > recovery) {
            recovery = transmissions - 1;
            threshold = Math.max(window / 2, 2);
            window = threshold;
            marking.lost();
        }
    }

    /** While the deadline moves on the event that is planned for it stays; a deadline that comes nearer has another one. */
    private void watch() {
        deadline = simulation.now() + (Math.max(LEAST_TIMEOUT, 3 * roundTrip) << doublings);
        if (deadline < planned) {
            plan();
        }
    }

    private void plan() {
        long time = deadline;
        planned = time;
        simulation.after(time - simulation.now(), () -> {
            if (planned != time || answered == size) {
                return;
            }
            planned = Long.MAX_VALUE;
            if (simulation.now() < deadline) {
                plan();
            } else {
                timeOut();
            }
        });
    }

    private void timeOut() {
        timeouts++;
        doublings = Math.min(doublings + 1, MOST_DOUBLINGS);
        threshold = Math.max(window / 2, 2);
        window = 1;
        flights.values().forEach(flight -> again.add(flight.packet));
        flights.clear();
        recovery = transmissions - 1;
        round = -1;
        marking.lost();
        send();
        watch();
    }
}
