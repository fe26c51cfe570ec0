package org.tamanoir.benchmarks.qos.adaptation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.qos.QosPlan;
import org.tamanoir.benchmarks.qos.edge.CodePoints;
import org.tamanoir.benchmarks.qos.edge.EdgeLab;
import org.tamanoir.benchmarks.qos.edge.OpenSession;
import org.tamanoir.benchmarks.qos.edge.SessionTrips;
import org.tamanoir.lab.FlowReceiver;
import org.tamanoir.lab.Flows;
import org.tamanoir.lab.LabException;

/** A flow that asked for little delay while best effort is flooded, and after. */
public final class Adaptation {
    static final String LEVEL = "maxDelayMs=10,traffic=100000";
    private static final List<Integer> PERIODS = List.of(1000, 500);
    private static final int ROUNDS = 5;
    private static final int QUICK_ROUNDS = 1;
    private static final Duration INTERVAL = Duration.ofMillis(10);
    /** A link of so much suffices to be congested, and leaves the machine the time to be exact. */
    static final long RATE = 100_000_000;
    private static final String BEST_EFFORT = "BE";
    /** In periods: how long a flood lasts, how long it may take until all is as before, how much of it is drawn after that. */
    private static final int FLOOD = 5;
    private static final int MOST = 20;
    private static final int AFTER = 2;
    private static final int POLL_MILLIS = 20;
    private static final long SEED = 2003;

    private Adaptation() {
    }

    /** As a {@link org.tamanoir.benchmarks.parts.Part}. */
    public static Outcome run(QosPlan plan, Consumer<String> progress) {
        List<Round> rounds = new ArrayList<>();
        List<String> failures = new ArrayList<>();
        int count = (plan.quick() ? QUICK_ROUNDS : ROUNDS) * plan.runs();
        for (int period : plan.quick() ? PERIODS.subList(1, 2) : PERIODS) {
            progress.accept("period " + period + " ms: starting nodes");
            try (EdgeLab lab = new EdgeLab(Math.min(RATE, plan.rate()), Duration.ofMillis(period), "")) {
                OpenSession session = lab.open(FlowReceiver.ECHO_PORT, true, LEVEL);
                try (SessionTrips trips = SessionTrips.start(lab.testbed().sender(1), lab.via(), lab.to(FlowReceiver.ECHO_PORT), session.code(), INTERVAL);
                        CodePoints codePoints = new CodePoints(lab.testbed())) {
                    lab.awaitMeasured(session);
                    Random phase = new Random(SEED);
                    for (int round = 1; round <= count; round++) {
                        progress.accept("period " + period + " ms, round " + round + " of " + count);
                        rounds.add(round(lab, session, trips, codePoints, period, phase));
                    }
                }
            } catch (LabException e) {
                failures.add("adaptation, period " + period + " ms: " + e.getMessage());
            }
        }
        return new AdaptationOutcome(rounds, failures);
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
