package org.tamanoir.benchmarks.qos.cost;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.qos.QosPlan;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.lab.LabException;

/** What marking and policing cost, and how exact policing is. */
public final class Cost {
    private static final int ROUNDS = 9;
    private static final int QUICK_ROUNDS = 3;
    private static final double SECONDS = 0.6;
    private static final double POLICED_SECONDS = 20;
    private static final double QUICK_POLICED_SECONDS = 5;

    private Cost() {
    }

    /** As a {@link org.tamanoir.benchmarks.parts.Part}. */
    public static Outcome run(QosPlan plan, Consumer<String> progress) {
        Samples samples = new Samples();
        List<String> failures = new ArrayList<>();
        progress.accept("starting nodes");
        try (CostLab lab = new CostLab()) {
            police(plan, lab, samples, failures, progress);
            CostRuns runs = new CostRuns(lab, SECONDS, samples);
            attempt(failures, "cost", () -> {
                runs.prepare(progress);
                int rounds = (plan.quick() ? QUICK_ROUNDS : ROUNDS) * plan.runs();
                for (int round = 1; round <= rounds; round++) {
                    progress.accept("round " + round + " of " + rounds);
                    runs.round();
                }
            });
        }
        return new CostOutcome(samples, failures);
    }

    private static void police(QosPlan plan, CostLab lab, Samples samples, List<String> failures, Consumer<String> progress) {
        for (int run = 1; run <= plan.runs(); run++) {
            for (Side side : lab.sides()) {
                progress.accept("policing in the " + side + ", run " + run + " of " + plan.runs());
                attempt(failures, "policing in the " + side, () -> {
                    Policing.Result result = Policing.run(lab, side, plan.quick() ? QUICK_POLICED_SECONDS : POLICED_SECONDS);
                    samples.add(CostOutcome.error(side.toString()), result.errorPercent());
                    samples.add(CostOutcome.offered(side.toString()), result.offered());
                });
            }
        }
    }

    private static void attempt(List<String> failures, String what, Runnable run) {
        try {
            run.run();
        } catch (LabException e) {
            failures.add(what + ": " + e.getMessage());
        }
    }
}
