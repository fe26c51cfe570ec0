package org.tamanoir.benchmarks.upgrade;

import java.io.PrintWriter;
import java.util.List;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Samples;

/** The figures of {@code bench upgrade} for people. */
final class UpgradeTable {
    private final UpgradeFigures figures;
    private final Samples samples;

    UpgradeTable(UpgradeFigures figures) {
        this.figures = figures;
        this.samples = figures.samples();
    }

    void print(PrintWriter out) {
        out.printf("%n%-46s", "one-way delay, ms");
        UpgradeFigures.PERCENTILES.keySet().forEach(name -> out.printf(" %9s", name));
        out.println();
        for (String group : UpgradeFigures.GROUPS) {
            line(out, group + ", median of the parts", UpgradeFigures.DELAY, group);
        }
        for (String group : UpgradeFigures.GROUPS) {
            line(out, group + ", all packets together", UpgradeFigures.TOGETHER, group);
        }
        for (String group : UpgradeFigures.GROUPS) {
            line(out, group + ", first packets of streams", UpgradeFigures.OPENING, group);
        }
        for (String group : UpgradeFigures.GROUPS) {
            if (!group.equals(Part.QUIET.group())) {
                line(out, "added: " + group + ", median of the pairs", UpgradeFigures.ADDED, group);
            }
        }
        line(out, "added: all of them, median of the pairs", UpgradeFigures.ADDED, UpgradeFigures.ALL);
        line(out, "source later than it meant to be", "lateness", "source");
        for (String what : List.of("packets", "streams")) {
            for (String transport : List.of("tcp", "udp")) {
                counts(out, what, transport);
            }
        }
        counts(out, "upgrade", "first");
        counts(out, "upgrade", "last");
    }

    private void line(PrintWriter out, String title, String what, String group) {
        out.printf("  %-44s", title);
        for (String name : UpgradeFigures.PERCENTILES.keySet()) {
            Double value = samples.median(figures.key(what, group, name, "ms"));
            out.printf(" %9s", value == null ? "-" : String.format("%.2f", value));
        }
        out.println();
    }

    /** All figures of one thing in a line. */
    private void counts(PrintWriter out, String what, String system) {
        StringBuilder line = new StringBuilder(String.format("%n%-8s %-6s", what, system));
        for (Row row : samples.rows()) {
            if (row.benchCase().equals(what) && row.system().equals(system)) {
                line.append(row.unit().equals("ms") ? String.format("  %s %.0f ms (%.0f to %.0f)", row.metric(), row.value(), row.low(), row.high())
                        : String.format("  %s %,.0f", row.metric(), row.value()));
            }
        }
        out.print(line);
    }
}
