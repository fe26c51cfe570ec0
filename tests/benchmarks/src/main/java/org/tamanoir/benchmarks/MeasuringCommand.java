package org.tamanoir.benchmarks;

import java.util.List;
import java.util.concurrent.Callable;
import org.tamanoir.benchmarks.parts.Findings;
import org.tamanoir.benchmarks.parts.Parts;
import org.tamanoir.lab.LabException;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What the commands of {@code tamanoir bench} have in common: they refuse what cannot be run before anything starts, and then measure and speak alike. */
abstract class MeasuringCommand implements Callable<Integer> {
    @Option(names = "--json", description = "One JSON object.", showDefaultValue = Visibility.NEVER)
    private boolean json;

    @Spec
    private CommandSpec spec;

    @Override
    public final Integer call() {
        BenchOutput output = new BenchOutput(spec.commandLine().getOut(), spec.commandLine().getErr(), json);
        try {
            return measure(output);
        } catch (LabException e) {
            return output.failed(e);
        }
    }

    /**
     * Does it.
     *
     * @return the exit code
     * @throws ParameterException if it cannot be run; see {@link #check} and {@link #refused}
     * @throws LabException       if nothing can be measured here
     */
    abstract int measure(BenchOutput output);

    /** Refuses what cannot be run. @param plan throws an {@link IllegalArgumentException} that says why */
    final void check(Runnable plan) {
        try {
            plan.run();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    /**
     * Measures parts of a bench.
     *
     * @param names of parts; null for all
     * @param check of the plan
     */
    final <P> Findings measure(Parts<P> parts, List<String> names, P plan, Runnable check, BenchOutput output) {
        check(() -> parts.chosen(names));
        check(check);
        return parts.chosen(names).run(plan, output.progress());
    }

    /** To be thrown. @param why what to give instead */
    final ParameterException refused(String why) {
        return new ParameterException(spec.commandLine(), why);
    }

    /** Whether an option stands on the command line. */
    final boolean isGiven(String option) {
        return spec.commandLine().getParseResult().hasMatchedOption(option);
    }
}
