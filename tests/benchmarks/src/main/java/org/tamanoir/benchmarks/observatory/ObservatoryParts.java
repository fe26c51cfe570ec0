package org.tamanoir.benchmarks.observatory;

import java.time.Duration;
import java.util.List;
import org.tamanoir.benchmarks.parts.Part;
import org.tamanoir.benchmarks.parts.Parts;

/** The parts of {@code bench observatory}. */
public final class ObservatoryParts {
    private static final Part<ObservatoryPlan> SCOPE = new Part<>("scope", Scope::run);
    private static final List<Part<ObservatoryPlan>> ALL = List.of(new Part<>("figures", SeedFigures::run), new Part<>("simulation", Simulation::run), new Part<>("database", Growth::run),
            new Part<>("intake", IntakeRate::run), new Part<>("forecast", Forecasts::run),
            new Part<>("sampling", (plan, progress) -> SamplingCost.run(plan.rounds(), Duration.ofMillis((long) (1000 * plan.seconds())), progress)), SCOPE);

    private ObservatoryParts() {
    }

    /** All of them; of these one alone needs a laboratory. @param names that are asked for */
    public static Parts<ObservatoryPlan> of(List<String> names) {
        return new Parts<>(ALL, names.contains(SCOPE.name()));
    }
}
