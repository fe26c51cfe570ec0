package org.tamanoir.benchmarks.cluster.failure;

import java.util.function.Consumer;
import java.util.function.Supplier;
import org.tamanoir.benchmarks.cluster.ClusterPlan;
import org.tamanoir.benchmarks.cluster.site.ClusterSite;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.lab.LabException;

/** One thing after the other, each some times: with one director a death and a drain, with a pair the loss of the master. */
public final class Failures {
    private final ClusterPlan plan;
    private final Consumer<String> progress;
    private final FailureOutcome outcome = new FailureOutcome();

    private Failures(ClusterPlan plan, Consumer<String> progress) {
        this.plan = plan;
        this.progress = progress;
    }

    /** @throws LabException if the first cluster cannot be had */
    public static Outcome run(ClusterPlan plan, Consumer<String> progress) {
        return new Failures(plan, progress).run();
    }

    private Outcome run() {
        progress.accept("starting a director, a front-end and " + ClusterSite.BACK_ENDS + " back ends");
        try (FailureLab lab = new FailureLab(1)) {
            rounds(Event.KILLED, lab::kill);
            rounds(Event.DRAINED, lab::drain);
        }
        progress.accept("starting two directors, each with a front-end");
        try (FailureLab lab = new FailureLab(2)) {
            rounds(Event.POWER_CUT, lab::cutPower);
        } catch (LabException e) {
            outcome.failed(Event.POWER_CUT + ": " + e.getMessage());
        }
        return outcome;
    }

    /** After one that cannot be judged the cluster may be in any state: then the others of its kind are left out. */
    private void rounds(String kind, Supplier<Event> happening) {
        for (int round = 0; round < plan.rounds(); round++) {
            progress.accept(kind + ", round " + (round + 1) + " of " + plan.rounds());
            try {
                outcome.add(happening.get());
            } catch (LabException e) {
                outcome.failed(kind + ", round " + (round + 1) + ": " + e.getMessage());
                return;
            }
        }
    }
}
