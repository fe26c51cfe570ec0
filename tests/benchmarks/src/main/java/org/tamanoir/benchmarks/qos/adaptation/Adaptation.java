package org.tamanoir.benchmarks.qos.adaptation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.qos.QosPlan;
import org.tamanoir.benchmarks.qos.edge.CodePoints;
import org.tamanoir.benchmarks.qos.edge.CodePoints.Change;
import org.tamanoir.benchmarks.qos.edge.EdgeLab;
import org.tamanoir.benchmarks.qos.edge.OpenSession;
import org.tamanoir.benchmarks.qos.edge.SessionTrips;
import org.tamanoir.benchmarks.qos.edge.SessionTrips.Trip;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.lab.FlowReceiver;
import org.tamanoir.lab.Flows;
import org.tamanoir.lab.LabException;

/**
 * How long a flow that asked for little delay is without the class that it needs: best effort is flooded, and is free again (active grid paper, section
 * 4.1: QoSinus adapts to what it measures).
 */
public final class Adaptation {
    static final String LEVEL = "maxDelayMs=10,traffic=100000";
    private static final List<Integer> PERIODS = List.of(1000, 500);
    private static final int ROUNDS = 5;
    private static final Duration INTERVAL = Duration.ofMillis(10);
    /** A link of so much suffices to be congested, and leaves the machine the time to be exact. */
    private static final long RATE = 100_000_000;
    private static final String BEST_EFFORT = "BE";
    /** In periods: how long a flood lasts, how long it may take until all is as before, how much of it is drawn after that. */
    private static final int FLOOD = 5;
    private static final int MOST = 20;
    private static final int AFTER = 2;
    private static final int POLL_MILLIS = 20;
    private static final long SEED = 2003;
    private static final double NANOS_OF_MILLI = 1e6;

    /**
     * One flood and what the flow did.
     *
     * @param periodMillis of monitoring and of choices
     * @param begin        when the first packet of the flood had crossed the bottleneck; {@link System#nanoTime}
     * @param end          when the last one had
     * @param changes      of the code point of the flow's packets behind the bottleneck, from its code point before
     * @param trips        of the flow, from a while before the flood to its return
     * @param shownBetter  when the node was first seen to say that the flow is in another class than best effort; polled
     * @param shownBack    when it was first seen to say that it is in best effort again
     */
    record Round(int periodMillis, long begin, long end, List<Change> changes, List<Trip> trips, long shownBetter, long shownBack) {
        /** Milliseconds from the first packet of the flood to the first packet of the flow with another code point; infinite if there was none. */
        double better() {
            OptionalLong better = changes.stream().filter(each -> each.codePoint() != 0 && each.at() - begin >= 0).mapToLong(Change::at).findFirst();
            return better.isEmpty() ? Double.POSITIVE_INFINITY : (better.getAsLong() - begin) / NANOS_OF_MILLI;
        }

        /** Milliseconds from the last packet of the flood to the packet from which on the flow was best effort again; infinite if it was not. */
        double back() {
            Change last = changes.get(changes.size() - 1);
            return last.codePoint() == 0 && last.at() - end >= 0 ? (last.at() - end) / NANOS_OF_MILLI : Double.POSITIVE_INFINITY;
        }

        double shownBetterMillis() {
            return (shownBetter - begin) / NANOS_OF_MILLI;
        }

        double shownBackMillis() {
            return (shownBack - end) / NANOS_OF_MILLI;
        }

        /** Changes of the code point: two are one way and the other. */
        int count() {
            return changes.size() - 1;
        }
    }

    private Adaptation() {
    }

    /** As a {@link org.tamanoir.benchmarks.parts.Part}. */
    public static Outcome run(QosPlan plan, Consumer<String> progress) {
        Measurements measured = new Measurements(progress);
        List<Integer> periods = plan.quick() ? PERIODS.subList(1, 2) : PERIODS;
        List<Round> rounds = new ArrayList<>();
        int count = (plan.quick() ? 1 : ROUNDS) * plan.runs();
        for (int period : periods) {
            measured.attempt("adaptation, period " + period + " ms", () -> run(Math.min(RATE, plan.rate()), period, count, measured, rounds));
        }
        return new AdaptationOutcome(periods, rounds, measured);
    }

    private static void run(long rate, int period, int count, Measurements measured, List<Round> rounds) {
        try (EdgeLab lab = new EdgeLab(rate, Duration.ofMillis(period), "")) {
            OpenSession session = lab.open(FlowReceiver.ECHO_PORT, true, LEVEL);
            try (SessionTrips trips = lab.trips(session, INTERVAL); CodePoints codePoints = new CodePoints(lab.testbed())) {
                lab.awaitMeasured(session);
                Random phase = new Random(SEED);
                for (int round = 0; round < count; round++) {
                    measured.doing("period " + period + " ms, " + Measurements.name(round) + " of " + count);
                    rounds.add(round(lab, session, trips, codePoints, period, phase));
                }
            }
        }
    }

    private static Round round(EdgeLab lab, OpenSession session, SessionTrips trips, CodePoints codePoints, int period, Random phase) {
        Duration patience = Duration.ofMillis((long) MOST * period);
        session.awaitClass(BEST_EFFORT, patience);
        // Nothing of a round before is left, and floods begin anywhere in a period.
        Pause.millis((long) AFTER * period + phase.nextInt(period));
        if (codePoints.now() != 0) {
            throw new LabException("before the flood the flow has the code point " + codePoints.now());
        }
        codePoints.clear();
        long before = System.nanoTime();
        Flows.Flow flood = lab.flood(FLOOD * period / 1e3);
        session.awaitOtherThan(BEST_EFFORT, patience);
        long better = System.nanoTime();
        flood.sent();
        session.awaitClass(BEST_EFFORT, patience);
        long back = System.nanoTime();
        long end = back + Duration.ofMillis((long) AFTER * period).toNanos();
        while (codePoints.now() != 0 && System.nanoTime() - end < 0) {
            Pause.millis(POLL_MILLIS);
        }
        Pause.millis((long) AFTER * period);
        return new Round(period, codePoints.firstOfFlood(), codePoints.lastOfFlood(), codePoints.changes(),
                trips.between(before - Duration.ofMillis(period).toNanos(), System.nanoTime() - Duration.ofSeconds(1).toNanos()), better, back);
    }
}
