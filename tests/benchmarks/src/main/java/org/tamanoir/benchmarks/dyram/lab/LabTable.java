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
        for (LabCase which : plan.measured()) {
            out.printf("%n%-14s %8s %9s %12s %10s %9s %10s %7s %7s %10s %9s%n", which, "s", "complete", "source link", "site down", "site up",
                    "to source", "CPU s", "start", "compilers", "protocol");
            for (SystemKind kind : plan.systems()) {
                out.printf("  %-12s %8s %9s %12s %10s %9s %10s %7s %7s %10s %9s%n", kind,
                        text("%.2f", LabFigures.seconds(which, kind, plan.expected())), complete(which, kind),
                        text("%.3f", LabFigures.sourceLink(which, kind, plan.expected())),
                        text("%.3f", LabFigures.sitesDown(which, kind, plan.expected())),
                        text("%.3f", LabFigures.sitesUp(which, kind, plan.expected())),
                        text("%,.0f", LabFigures.control(which, kind, plan.expected())),
                        text("%.1f", LabFigures.cpu(which, kind, plan.expected())),
                        text("%.1f", LabFigures.starting(which, kind, plan.expected())),
                        text("%.1f", LabFigures.compilers(which, kind, plan.expected())),
                        text("%.1f", LabFigures.protocol(which, kind, plan.expected())));
            }
        }
    }

    /** The worst run: a receiver without the file is not made good by another run. */
    private String complete(LabCase which, SystemKind kind) {
        List<Double> runs = samples.of(LabFigures.identical(which, kind, plan.expected()));
        return runs.isEmpty() ? "-" : String.format("%.0f of %d", Collections.min(runs), plan.expected());
    }

    private String text(String format, Key key) {
        Double value = samples.median(key);
        return value == null ? "-" : String.format(format, value);
    }
}
