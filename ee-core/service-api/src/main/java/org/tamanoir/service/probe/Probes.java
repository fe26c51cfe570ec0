package org.tamanoir.service.probe;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.service.probe.Probes.Train;

/** A service's way to probe; from {@code ServiceContext.probes()}. Safe for all threads. */
public interface Probes {
    /** Trains of one service that may be under way. */
    int MOST_TRAINS = 1024;

    /** Where this node answers the probes of others; null if it does not. */
    InetSocketAddress reflector();

    /**
     * Sends a train and gathers what comes back.
     *
     * @param done told once, on the thread of the service's own tasks, when every answer is there or the patience of the train is over
     * @return false if {@link #MOST_TRAINS} are under way or the node cannot send: nothing will be told then
     */
    boolean send(Train train, Consumer<Answers> done);

    /**
     * Probes that are sent one after the other.
     *
     * @param to       the reflector
     * @param dscp     the code point of the probes, 0 to 63; the reflector is asked to answer in it too (RFC 8972 section 4.4)
     * @param packets  1 to {@value #MOST_PACKETS}
     * @param octets   of each IPv4 packet, {@value #LEAST_OCTETS} to {@value #MOST_OCTETS}; 20 more over IPv6. Answers have the same size
     * @param gap      from one to the next; zero for one right behind the other
     * @param patience how long after the last one answers are waited for, up to 10 s
     */
    record Train(InetSocketAddress to, int dscp, int packets, int octets, Duration gap, Duration patience) {
        public static final int MOST_PACKETS = 256;
        /** IPv4 and UDP headers (28), the 44 octets of RFC 8762 section 4.2.1, and the class of service TLV of RFC 8972 section 4.4 (8). */
        public static final int LEAST_OCTETS = 80;
        public static final int MOST_OCTETS = 1500;
        private static final Duration MOST_PATIENCE = Duration.ofSeconds(10);

        /**
         * Checks the ranges.
         *
         * @throws IllegalArgumentException that names the part
         */
        public Train {
            check(to != null && !to.isUnresolved() && to.getPort() != 0, "the reflector " + to + " is no address and port");
            check(dscp >= 0 && dscp <= 63, "the code point " + dscp + " is not from 0 to 63");
            check(packets >= 1 && packets <= MOST_PACKETS, packets + " packets; a train has 1 to " + MOST_PACKETS);
            check(octets >= LEAST_OCTETS && octets <= MOST_OCTETS, octets + " octets a packet; it must be " + LEAST_OCTETS + " to " + MOST_OCTETS);
            check(!gap.isNegative() && gap.compareTo(MOST_PATIENCE) <= 0, "a gap of " + gap);
            check(!patience.isNegative() && patience.compareTo(MOST_PATIENCE) <= 0, "a patience of " + patience);
        }

        private static void check(boolean holds, String otherwise) {
            if (!holds) {
                throw new IllegalArgumentException(otherwise);
            }
        }
    }

    /**
     * What came back of a train.
     *
     * @param train   what was sent
     * @param sent    probes that the kernel took
     * @param answers in the order of their numbers; what is missing was lost
     */
    record Answers(Train train, int sent, List<Answer> answers) {
        public Answers {
            answers = List.copyOf(answers);
        }

        /**
         * One probe and its answer. Times are nanoseconds since 1970, each by the clock of the host that took it; the difference of two times of
         * one host is exact to its clock's rate, that of two hosts to {@link #errorNanos}.
         *
         * @param number       in the train, from 0
         * @param sentNanos    it left here
         * @param arrivedNanos it arrived at the reflector
         * @param backNanos    the answer left the reflector
         * @param hereNanos    the answer arrived here
         * @param synchronised whether both hosts say that their clocks follow an external source (the bit S, RFC 8762 section 4.2.1)
         * @param errorNanos   the sum of what both say of the error of their clocks
         * @param arrivedDscp  the code point with which the probe arrived at the reflector; -1 if that does not say
         * @param arrivedTtl   the time to live with which it arrived; -1 if that does not say
         */
        public record Answer(int number, long sentNanos, long arrivedNanos, long backNanos, long hereNanos, boolean synchronised, long errorNanos,
                int arrivedDscp, int arrivedTtl) {
            /** Time on the way there and back, without the time in the reflector (RFC 2681); nanoseconds. */
            public long roundTripNanos() {
                return hereNanos - sentNanos - (backNanos - arrivedNanos);
            }

            /** Time on the way there (RFC 7679), as right as both clocks are; nanoseconds. */
            public long oneWayNanos() {
                return arrivedNanos - sentNanos;
            }
        }
    }
}
