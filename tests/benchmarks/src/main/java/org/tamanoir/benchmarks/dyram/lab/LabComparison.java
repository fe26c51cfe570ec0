package org.tamanoir.benchmarks.dyram.lab;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.benchmarks.report.Machine;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.LabException;

/** A comparison from beginning to end: packages, network, rounds, result. */
public final class LabComparison {
    private final LabPlan plan;
    private final LabBench bench;
    private final Report report;

    private LabComparison(LabPlan plan, LabBench bench, Map<String, String> machine) {
        this.plan = plan;
        this.bench = bench;
        machine.put("load", machine.get("load") + " before, " + Machine.load() + " after");
        if (plan.systems().contains(SystemKind.NORM)) {
            machine.put("norm", "libnorm1 " + version("libnorm1") + ", blocks of 64 and 32");
        }
        if (plan.systems().contains(SystemKind.UFTP)) {
            machine.put("uftp", version("uftp"));
        }
        this.report = new Report(machine, bench.samples().rows(), LabTargets.of(plan, bench.samples()), bench.failures());
    }

    /**
     * Runs it.
     *
     * @param progress told what is being done, a line at a time
     * @throws AnepException (EE-504) if something is missing that cannot be installed
     * @throws LabException  if the network cannot be made
     */
    public static LabComparison run(LabPlan plan, Consumer<String> progress) {
        SystemPackages.require(plan.systems());
        Map<String, String> machine = Machine.describe();
        try (LabBench bench = new LabBench(plan, progress)) {
            bench.run();
            return new LabComparison(plan, bench, machine);
        }
    }

    private static String version(String debianPackage) {
        Command.Result result = Command.tryRun(List.of("dpkg-query", "--show", "--showformat=${Version}", debianPackage), null,
                Duration.ofSeconds(10));
        return result.exit() == 0 ? result.output() : "of an unknown version";
    }

    public Report report() {
        return report;
    }

    public void printTable(PrintWriter out) {
        new LabTable(plan, bench.samples()).print(out);
    }
}
