package org.tamanoir.benchmarks.qos;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Locale;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.qos.CostLab.Side;
import org.tamanoir.benchmarks.qos.edge.OpenSession;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;

/**
 * How exact a policer is: one and a half times the committed rate is offered in a session whose excess is dropped, and the rule's counters are read
 * twice, when the bucket is empty. The bucket holds a second and has been emptied before, so that a sender that rests a while on a busy machine changes nothing.
 */
final class Policing {
    /** Octets of IP packets a second. */
    static final long COMMITTED = 2_000_000;
    private static final double OFFERED = 1.5;
    private static final double BUCKET_SECONDS = 1;
    /** Until the bucket is empty, and the flow in EF. */
    private static final long BEFORE_MILLIS = 6000;
    private static final double BITS = 8;
    private static final double MARGIN_SECONDS = 30;
    private static final double LEAST_OFFERED = 1.2;
    private static final int PACKET = 1400;
    /** How long readings are compared, how far apart they are. */
    private static final long LOOK_MILLIS = 2000;
    private static final long BETWEEN_MILLIS = 20;
    private static final long NANOS_OF_MILLI = 1_000_000;
    /** What a reading takes at most: when in that time the counters were read is not known. */
    private static final long EXACT_NANOS = 4 * NANOS_OF_MILLI;

    private record Reading(long nanos, long packets, long octets, long green) {
        static Reading of(Side side, OpenSession session) {
            long before;
            long after;
            JsonNode rule;
            long end = System.nanoTime() + LOOK_MILLIS * NANOS_OF_MILLI;
            do {
                before = System.nanoTime();
                rule = side.rule(session);
                after = System.nanoTime();
            } while (after - before > EXACT_NANOS && after - end < 0);
            return new Reading((before + after) / 2, rule.path("packets").asLong(), rule.path("octets").asLong(), rule.path("green").asLong());
        }

        /** Whether more has passed since another one than the rate allows: the bucket is emptier. */
        boolean isAheadOf(Reading other) {
            return (green - other.green) * (octets / (double) packets) > COMMITTED * ((nanos - other.nanos) / 1e9);
        }
    }

    private Policing() {
    }

    /** Percent of the rate. */
    static Key error(boolean kernel) {
        return key(CostLab.name(kernel), "rate-error", "%");
    }

    private static Key key(String side, String metric, String unit) {
        return new Key("policing", side, 0, 1, metric, unit);
    }

    /** @param seconds between the readings @throws LabException if not enough was offered */
    static void run(CostLab lab, Side side, double seconds, Measurements measured) {
        OpenSession session = side.open(true, String.format(Locale.ROOT, "maxLossPct=1,traffic=%d,bucket=%.0f,excess=drop", COMMITTED,
                BUCKET_SECONDS * COMMITTED));
        try (LabProcess sender = session.send(lab.folder("client"), OFFERED * COMMITTED * BITS, seconds + MARGIN_SECONDS, "--packet-size " + PACKET)) {
            side.awaitEf(session, true);
            Pause.millis(BEFORE_MILLIS);
            Reading first = emptiest(side, session);
            Pause.millis((long) (1000 * seconds) - LOOK_MILLIS);
            Reading last = emptiest(side, session);
            double took = (last.nanos() - first.nanos()) / 1e9;
            double size = (last.octets() - first.octets()) / (double) (last.packets() - first.packets());
            double offered = (last.octets() - first.octets()) / took / COMMITTED;
            if (!(offered >= LEAST_OFFERED)) {
                throw new LabException(String.format(Locale.ROOT, "only %.3f times the committed rate was offered %s", offered, sender.errors()));
            }
            measured.add(key(side.toString(), "rate-error", "%"), 100 * ((last.green() - first.green()) * size / took / COMMITTED - 1));
            measured.add(key(side.toString(), "offered", "of committed rate"), offered);
        }
    }

    /**
     * The reading, of those of a while, at which the most had passed for its time: then the bucket was empty. What is in it at another one, because
     * the sender has just rested, will pass later, and is no error of the rate.
     */
    private static Reading emptiest(Side side, OpenSession session) {
        Reading best = Reading.of(side, session);
        for (long end = System.nanoTime() + LOOK_MILLIS * NANOS_OF_MILLI; System.nanoTime() - end < 0; Pause.millis(BETWEEN_MILLIS)) {
            Reading next = Reading.of(side, session);
            best = next.isAheadOf(best) ? next : best;
        }
        return best;
    }
}
