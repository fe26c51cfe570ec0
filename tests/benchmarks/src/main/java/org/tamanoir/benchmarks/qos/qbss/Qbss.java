package org.tamanoir.benchmarks.qos.qbss;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.qos.QosPlan;
import org.tamanoir.lab.LabException;

/** LBE takes what is left and gives it back at once. */
public final class Qbss {
    private Qbss() {
    }

    /** As a {@link org.tamanoir.benchmarks.parts.Part}. */
    public static Outcome run(QosPlan plan, Consumer<String> progress) {
        return run(plan.rate(), Experiment.ALL, plan.runs(), plan.quick() ? Times.QUICK : Times.WHOLE, progress);
    }

    static QbssOutcome run(long rate, List<Experiment> experiments, int runs, Times times, Consumer<String> progress) {
        List<Series> series = new ArrayList<>();
        List<String> failures = new ArrayList<>();
        try (QbssLab lab = new QbssLab(rate)) {
            for (int run = 1; run <= runs; run++) {
                for (Experiment experiment : experiments) {
                    progress.accept(experiment.name() + ", run " + run + " of " + runs);
                    try {
                        series.add(lab.run(experiment, times));
                    } catch (LabException e) {
                        failures.add(experiment.name() + ": " + e.getMessage());
                    }
                }
            }
            return new QbssOutcome(lab.capacity(), lab.datagrams(), series, failures);
        }
    }
}
