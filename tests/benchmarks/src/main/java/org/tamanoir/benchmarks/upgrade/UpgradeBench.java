package org.tamanoir.benchmarks.upgrade;

import java.io.PrintWriter;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.lab.LabException;

/**
 * {@code bench upgrade}: what streams see while the service that they go through is upgraded every second, a repository is killed and
 * restarted, and a neighbour dies. All on loopback, with nodes that are processes of their own; needs no root.
 */
public final class UpgradeBench {
    private final UpgradePlan plan;
    private final Measurements measurements;
    private UpgradeFigures figures;

    /** @param progress told what is being done, a line at a time */
    public UpgradeBench(UpgradePlan plan, Consumer<String> progress) {
        this.plan = plan;
        measurements = new Measurements(progress);
    }

    /** @throws LabException if the testbed cannot be made, or a process of it fails that is not meant to */
    public Report run() {
        measurements.doing("starting a repository and three nodes");
        try (Testbed testbed = new Testbed("1.0.1"); Upgrader upgrader = new Upgrader(testbed)) {
            figures = new UpgradeFigures(plan, new UpgradeRun(plan, testbed, upgrader, measurements::doing).run(), measurements.samples());
        }
        figures.failures().forEach(measurements::failed);
        return measurements.report(figures.targets());
    }

    /** The figures for people. */
    public void print(PrintWriter out) {
        figures.print(out);
    }
}
