package org.tamanoir.benchmarks.dyram.lab;

import java.io.PrintWriter;
import java.util.Collections;
import java.util.List;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;

/** The figures of {@code bench dyram --lab} for people. */
final class LabTable {
    private final LabPlan plan;
    private final Samples samples;

    LabTable(LabPlan plan, Samples samples) {
        this.plan = plan;
        this.samples = samples;
    }

    void print(PrintWriter out) {
        out.printf("%n%,d octets to %d receivers at %d sites, %.0f Mbit/s, 20 ms there and back; links in parts of the file%n", plan.octets(),
                plan.expected(), plan.sites(), plan.bits() / 1e6);
        for (LossCase loss : plan.cases()) {
            out.printf("%n%-14s %8s %9s %12s %10s %9s %10s %7s%n", loss, "s", "complete", "source link", "site down", "site up", "to source",
                    "CPU s");
            for (SystemKind kind : plan.systems()) {
                out.printf("  %-12s %8s %9s %12s %10s %9s %10s %7s%n", kind,
                        text("%.2f", LabFigures.seconds(loss, kind, plan.expected())), complete(loss, kind),
                        text("%.3f", LabFigures.sourceLink(loss, kind, plan.expected())),
                        text("%.3f", LabFigures.sitesDown(loss, kind, plan.expected())),
                        text("%.3f", LabFigures.sitesUp(loss, kind, plan.expected())),
                        text("%,.0f", LabFigures.control(loss, kind, plan.expected())),
                        text("%.1f", LabFigures.cpu(loss, kind, plan.expected())));
            }
        }
    }

    /** The worst run: a receiver without the file is not made good by another run. */
    private String complete(LossCase loss, SystemKind kind) {
        List<Double> runs = samples.of(LabFigures.identical(loss, kind, plan.expected()));
        return runs.isEmpty() ? "-" : String.format("%.0f of %d", Collections.min(runs), plan.expected());
    }

    private String text(String format, Key key) {
        Double value = samples.median(key);
        return value == null ? "-" : String.format(format, value);
    }
}
