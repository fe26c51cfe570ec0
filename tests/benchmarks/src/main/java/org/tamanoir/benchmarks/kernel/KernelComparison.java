package org.tamanoir.benchmarks.kernel;

import java.io.PrintWriter;
import java.util.Map;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.report.Machine;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabRequirements;

/** A comparison from beginning to end: packages, network, rounds, result. */
public final class KernelComparison {
    private final KernelPlan plan;
    private final KernelBench bench;
    private final Report report;

    private KernelComparison(KernelPlan plan, KernelBench bench, Map<String, String> machine) {
        this.plan = plan;
        this.bench = bench;
        machine.put("load", machine.get("load") + " before, " + Machine.load() + " after");
        machine.put("placement", "round trips " + Placement.ONE + ", rates " + plan.placement());
        this.report = new Report(machine, bench.samples().rows(), KernelTargets.of(plan, bench.samples()), bench.failures());
    }

    /**
     * Runs it.
     *
     * @param progress told what is being done, a line at a time
     * @throws AnepException (EE-504) if something is missing that cannot be installed
     * @throws LabException  if a network cannot be made, or a node does not start: it may not use the kernel, and says why
     */
    public static KernelComparison run(KernelPlan plan, Consumer<String> progress) {
        LabRequirements lab = LabRequirements.check().installMissing();
        if (!lab.met()) {
            throw new AnepException(ErrorCode.MISSING_TOOL, lab.explain());
        }
        LoadTool tool = LoadTool.make();
        Map<String, String> machine = Machine.describe();
        KernelBench bench = new KernelBench(plan, tool, progress);
        bench.run();
        return new KernelComparison(plan, bench, machine);
    }

    public Report report() {
        return report;
    }

    public void printTable(PrintWriter out) {
        new KernelTable(plan, bench.samples()).print(out);
    }

    /** Latency against length; needs the part {@link Part#TCP}. */
    public Chart latencies() {
        return LatencyChart.of(plan, bench.samples());
    }
}
