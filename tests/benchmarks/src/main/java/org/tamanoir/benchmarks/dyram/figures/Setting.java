package org.tamanoir.benchmarks.dyram.figures;

import java.time.Duration;
import java.util.List;
import org.tamanoir.dyram.wire.ServiceChoice;
import org.tamanoir.dyram.wire.ServiceSet;
import org.tamanoir.dyram.wire.ServiceSet.Service;

/**
 * One simulated session.
 *
 * @param groups    sites
 * @param hosts     receivers of each
 * @param loss      the part of packets that a receiver does not get with their first transmission, 0 to 1
 * @param split     where the delay is
 * @param roundTrip from the source to a receiver and back
 * @param services  of the nodes
 * @param decide    the least delay to decide
 * @param lost      which messages are lost
 * @param packets   to send
 */
record Setting(int groups, int hosts, double loss, Split split, Duration roundTrip, Services services, Duration decide, Lost lost,
               int packets) {
    /** Nanoseconds between packets: short, since it is the next packet that shows a gap. */
    static final long INTERVAL = 1_000_000;
    /** Receivers find a gap with the next packet that they get: a node waits for some. */
    static final Duration DECIDE = Duration.ofNanos(3 * INTERVAL);

    /** What the lossy links lose. */
    enum Lost {
        /** Packets of content, first transmissions and repairs, on their way away from the source. */
        DATA,
        /** Every message on its way away from the source: requests to repliers and what nodes tell receivers, too. */
        EVERYTHING
    }

    /** Loss of the source's link and of each tail: both together make {@link #loss}. The backbone loses nothing. */
    double linkLoss() {
        return linkLoss(loss);
    }

    static double linkLoss(double loss) {
        return 1 - Math.sqrt(1 - loss);
    }

    /**
     * How the way from the source to a receiver divides into its three links, in round trips from end to end: the three make half a round trip.
     *
     * @param name   in tables
     * @param source from the source to its node
     * @param core   across the backbone
     * @param tail   from a site's node to a receiver
     */
    record Split(String name, double source, double core, double tail) {
        static final Split SHORT_ACCESS = new Split(".02/.46/.02", 0.02, 0.46, 0.02);
        static final Split MEDIUM_ACCESS = new Split(".1/.3/.1", 0.1, 0.3, 0.1);
        static final Split EQUAL = new Split("thirds", 1 / 6.0, 1 / 6.0, 1 / 6.0);
        static final List<Split> ALL = List.of(SHORT_ACCESS, MEDIUM_ACCESS, EQUAL);

        /** Nanoseconds of a part of a round trip. */
        static long nanos(double roundTrips, Duration roundTrip) {
            return Math.round(roundTrips * roundTrip.toNanos());
        }
    }

    /**
     * Which services the session asks nodes for; all of them are allowed at every node.
     *
     * @param name   in tables
     * @param choice of the source's node and of those of the sites
     */
    record Services(String name, ServiceChoice choice) {
        private static final String NO_RECOVERY = "aggregate,subcast,repair-timer";
        private static final String RECOVERY = NO_RECOVERY + ",elect-hosts@others";

        /**
         * The nodes hand on what they get: data and every repair to all links, every request to the source. Nodes without services rather than
         * no nodes, so that the links, their delays and their losses are the same.
         */
        static final Services NO_ACTIVE_NODE = asked("no active node", "none");
        /** NACKs are aggregated and repairs subcast, but every repair comes from the source: what figure 12 compares with. */
        static final Services NO_LOCAL_RECOVERY = asked("without local recovery", NO_RECOVERY);
        /** A host of the site is elected; the source's node elects nobody. */
        static final Services LOCAL_RECOVERY = asked("local recovery", RECOVERY);
        /** The source's node elects a site, too. */
        static final Services EVERY_LEVEL = asked("election at every level", RECOVERY + ",elect@source");
        /** What figure 13 calls DyRAM-: local recovery, no loss detection. */
        static final Services WITHOUT_DETECTION = asked("DyRAM-", RECOVERY);
        /** What it calls DyRAM+: loss detection in the source's node. */
        static final Services WITH_DETECTION = asked("DyRAM+", RECOVERY + ",detect@source");

        private static Services asked(String name, String choice) {
            return new Services(name, ServiceChoice.parse(choice));
        }

        /** The same with repair timers in the receivers only. */
        Services timersInReceiversOnly() {
            ServiceSet timer = ServiceSet.of(Service.REPAIR_TIMER);
            return new Services(name, new ServiceChoice(choice.atSource().less(timer), choice.elsewhere().less(timer)));
        }
    }
}
