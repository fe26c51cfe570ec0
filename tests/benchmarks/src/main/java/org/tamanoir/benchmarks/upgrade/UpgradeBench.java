package org.tamanoir.benchmarks.upgrade;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.report.Machine;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.lab.LabException;

/** Streams under load while their service is upgraded every second, and sources of services die. */
public final class UpgradeBench {
    private final UpgradePlan plan;
    private final Consumer<String> progress;
    private UpgradeFigures figures;

    /** @param progress told what is being done, a line at a time */
    public UpgradeBench(UpgradePlan plan, Consumer<String> progress) {
        this.plan = plan;
        this.progress = progress;
    }

    /** @throws LabException if the testbed cannot be made, or a process of it fails that is not meant to */
    public Report run() {
        Map<String, String> machine = new LinkedHashMap<>(Machine.describe());
        String loadBefore = machine.get("load");
        progress.accept("starting a repository and three nodes");
        UpgradeRun.Result result;
        try (Testbed testbed = new Testbed("1.0.1"); Upgrader upgrader = new Upgrader(testbed)) {
            result = new UpgradeRun(plan, testbed, upgrader, progress).run();
        }
        machine.put("load", loadBefore + " before, " + Machine.load() + " after");
        figures = new UpgradeFigures(plan, result);
        return new Report(machine, figures.samples().rows(), figures.targets(), figures.failures());
    }

    /** The figures for people. */
    public void print(PrintWriter out) {
        new UpgradeTable(figures).print(out);
        out.println();
    }
}
