package org.tamanoir.benchmarks.cluster.parts;

import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.cluster.ClusterPlan;
import org.tamanoir.benchmarks.cluster.Outcome;
import org.tamanoir.benchmarks.cluster.failure.Failures;
import org.tamanoir.benchmarks.cluster.scaling.Scaling;

/** Something that can be measured by itself. */
public enum Part {
    /** What one, two and three back ends carry. */
    SCALING(Scaling::run),
    /** What streams see of a death, a drain and the loss of the master director. */
    FAILURE(Failures::run);

    private final BiFunction<ClusterPlan, Consumer<String>, Outcome> run;

    Part(BiFunction<ClusterPlan, Consumer<String>, Outcome> run) {
        this.run = run;
    }

    /**
     * Measures it.
     *
     * @param progress told what is being done, a line at a time
     * @throws org.tamanoir.lab.LabException if the cluster cannot be had; of a run that gives no figure the outcome tells
     */
    Outcome run(ClusterPlan plan, Consumer<String> progress) {
        return run.apply(plan, line -> progress.accept(toString() + ": " + line));
    }

    /** As {@code --part} takes it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
