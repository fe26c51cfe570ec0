package org.tamanoir.benchmarks.cluster.distance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.cluster.ClusterPlan;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.plot.Chart.Series;
import org.tamanoir.lab.LabException;

/** Runs the plan: every round measures every length of packets on every way, one way directly after the other, in an order that turns. */
public final class Distance {
    static final List<Integer> PACKETS = List.of(1024, 4096, 8192, 32768);
    public static final int STREAMS = 25;
    /** Half of the round trip from ENS Lyon to CEA over VTHD, table 1 of the paper; figure 11 has none. */
    private static final Duration FAR = Duration.ofNanos(2_900_000);
    /** Enough for TCP's windows to open over the long way. */
    private static final Duration OPENING = Duration.ofSeconds(1);
    private static final Duration CHECK = Duration.ofSeconds(1);
    /** For the compilers of three JVMs. */
    private static final Duration WARM_UP = Duration.ofSeconds(4);

    private final ClusterPlan plan;
    private final Consumer<String> progress;
    private final DistanceOutcome outcome = new DistanceOutcome();

    private Distance(ClusterPlan plan, Consumer<String> progress) {
        this.plan = plan;
        this.progress = progress;
    }

    /** As a {@link org.tamanoir.benchmarks.parts.Part}. @throws LabException if a cluster cannot be had */
    public static Outcome run(ClusterPlan plan, Consumer<String> progress) {
        return new Distance(plan, progress).run();
    }

    private Outcome run() {
        progress.accept("starting two clusters, one near and one far");
        try (DistanceLab near = new DistanceLab(Duration.ZERO); DistanceLab far = new DistanceLab(FAR)) {
            for (Path path : Path.values()) {
                progress.accept("checking " + path);
                int packet = PACKETS.get(PACKETS.size() - 1);
                (path.far ? far : near).streams(path.direct, packet, STREAMS).check(CHECK);
                (path.far ? far : near).streams(path.direct, packet, STREAMS).measure(OPENING, WARM_UP);
            }
            int turn = 0;
            for (int round = 1; round <= plan.rounds(); round++) {
                for (int packet : PACKETS) {
                    measure(near, far, round, turn++, packet);
                }
            }
        }
        return outcome;
    }

    private void measure(DistanceLab near, DistanceLab far, int round, int turn, int packet) {
        List<Path> paths = new ArrayList<>(List.of(Path.values()));
        Collections.rotate(paths, -turn);
        Map<Path, Double> rates = new EnumMap<>(Path.class);
        for (Path path : paths) {
            String what = path + ", packets of " + packet + " octets, round " + round;
            progress.accept(what + " of " + plan.rounds());
            try {
                DistanceLab lab = path.far ? far : near;
                long dropped = lab.dropped();
                rates.put(path, lab.streams(path.direct, packet, STREAMS).measure(OPENING, plan.run()).octetsPerSecond());
                outcome.dropped(packet, path, lab.dropped() - dropped);
            } catch (LabException e) {
                outcome.failed(what + ": " + e.getMessage());
            }
        }
        outcome.add(packet, rates);
    }

    /** From client to receiver. */
    enum Path {
        DIRECT_NEAR(true, false, "#777777"), CLUSTER_NEAR(false, false, "#0b6e4f"), DIRECT_FAR(true, true, "#3b6fb6"), CLUSTER_FAR(false, true, "#c8553d");

        final boolean direct;
        final boolean far;
        private final String colour;

        Path(boolean direct, boolean far, String colour) {
            this.direct = direct;
            this.far = far;
            this.colour = colour;
        }

        /** Its line in the plot, without points. */
        Series line() {
            return new Series((direct ? "no cluster" : "cluster") + (far ? ", long distance" : ", local"), colour, false);
        }

        @Override
        public String toString() {
            return (direct ? "direct" : "cluster") + (far ? "-far" : "-near");
        }
    }
}
