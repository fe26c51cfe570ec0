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
 * Runs the plan: every round measures each back end alone, two of them, and all, in an order that turns. JVMs that do the same differ by what their compilers
 * made of it, and machines from one minute to the next: so what several carry is compared with what the same ones carried alone in that round.
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
        Map<ScalingCase, Map<List<Integer>, Figures>> found = new HashMap<>();
        for (List<Integer> serving : settings(round)) {
            lab.serve(serving);
            for (ScalingCase what : ScalingCase.ALL) {
                progress.accept("round " + (round + 1) + " of " + plan.rounds() + ": back ends " + serving + ", " + what);
                attempt(lab, round, what, serving, found);
            }
        }
        found.forEach(outcome::add);
    }

    /** Numbers of the back ends that serve, for one run of each case. */
    private static List<List<Integer>> settings(int round) {
        List<List<Integer>> settings = new ArrayList<>();
        ScalingLab.all().forEach(number -> settings.add(List.of(number)));
        settings.add(IntStream.of(round, round + 1).map(i -> 1 + i % ClusterSite.BACK_ENDS).sorted().boxed().toList());
        settings.add(ScalingLab.all());
        Collections.rotate(settings, -round);
        return settings;
    }

    private void attempt(ScalingLab lab, int round, ScalingCase what, List<Integer> serving, Map<ScalingCase, Map<List<Integer>, Figures>> found) {
        String name = what + ", back ends " + serving + ", round " + (round + 1);
        try {
            Figures figures = lab.run(what, serving.size() * plan.streams(), plan.run());
            if (figures.doubts().isEmpty()) {
                found.computeIfAbsent(what, unused -> new HashMap<>()).put(serving, figures);
            } else {
                outcome.failed(name + ": " + String.join("; ", figures.doubts()));
            }
        } catch (LabException e) {
            outcome.failed(name + ": " + e.getMessage());
        }
    }
}
