package org.tamanoir.benchmarks.cluster.scaling;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.tamanoir.benchmarks.cluster.ClusterPlan;
import org.tamanoir.benchmarks.cluster.site.ClusterSite;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.lab.LabException;

/**
 * Runs the plan: every round measures every number of back ends with every case, in an order that turns, and other back ends in every round, so that what
 * changes on the machine changes it for all, and no back end is the only one more often than another.
 */
public final class Scaling {
    /** Until both compilers of a JVM have done most of what they will. */
    private static final Duration WARM_UP = Duration.ofSeconds(4);

    private final ClusterPlan plan;
    private final Consumer<String> progress;
    private final ScalingOutcome outcome;

    private Scaling(ClusterPlan plan, Consumer<String> progress) {
        this.plan = plan;
        this.progress = progress;
        this.outcome = new ScalingOutcome(plan);
    }

    /** @throws LabException if the cluster cannot be had, or this machine has no control groups to cap back ends (EE-504) */
    public static Outcome run(ClusterPlan plan, Consumer<String> progress) {
        return new Scaling(plan, progress).run();
    }

    private Outcome run() {
        progress.accept("starting a director, a front-end and " + ClusterSite.BACK_ENDS + " back ends");
        try (ScalingLab lab = new ScalingLab()) {
            for (ScalingCase what : ScalingCase.ALL) {
                progress.accept("warming up: " + what);
                lab.warmUp(what, ClusterSite.BACK_ENDS * plan.streams(), WARM_UP);
                // What is compiled late is compiled slowly, under a cap.
                lab.run(what, ClusterSite.BACK_ENDS * plan.streams(), WARM_UP);
            }
            for (int round = 0; round < plan.rounds(); round++) {
                round(lab, round);
            }
        }
        return outcome;
    }

    private void round(ScalingLab lab, int round) {
        List<Integer> counts = new ArrayList<>(ScalingLab.all());
        Collections.rotate(counts, -round);
        Map<ScalingCase, Map<Integer, Figures>> found = new HashMap<>();
        for (int count : counts) {
            lab.serve(IntStream.range(0, count).mapToObj(i -> 1 + (round + i) % ClusterSite.BACK_ENDS).sorted().toList());
            for (ScalingCase what : ScalingCase.ALL) {
                progress.accept("round " + (round + 1) + " of " + plan.rounds() + ": " + count + " back ends, " + what);
                attempt(lab, round, what, count, found);
            }
        }
        found.forEach(outcome::add);
    }

    private void attempt(ScalingLab lab, int round, ScalingCase what, int count, Map<ScalingCase, Map<Integer, Figures>> found) {
        String name = what + ", " + count + " back ends, round " + (round + 1);
        try {
            Figures figures = lab.run(what, count * plan.streams(), plan.run());
            if (figures.doubts().isEmpty()) {
                found.computeIfAbsent(what, unused -> new HashMap<>()).put(count, figures);
            } else {
                outcome.failed(name + ": " + String.join("; ", figures.doubts()));
            }
        } catch (LabException e) {
            outcome.failed(name + ": " + e.getMessage());
        }
    }
}
