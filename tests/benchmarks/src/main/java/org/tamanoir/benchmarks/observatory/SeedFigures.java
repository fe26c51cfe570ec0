package org.tamanoir.benchmarks.observatory;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.paths.advisor.Window;
import org.tamanoir.paths.cost.BruteForce;
import org.tamanoir.paths.cost.Closeness;
import org.tamanoir.paths.cost.Estimate;
import org.tamanoir.paths.cost.Optimiser;
import org.tamanoir.paths.cost.SeedTables;

/** The tables of GlueDomains and DataGRID by the functions that the observatory answers with, beside what the papers print. */
final class SeedFigures implements Outcome {
    private static final int CASES = 1000;
    private static final List<String> ORDER = List.of("VIRGO", "CENTRO", "ASTRO", "GSC");

    /** @param paper NaN where the seeds print no figure @param solved what the printed inputs give @param within of that @param note on the print */
    private record Line(String table, String what, double value, String unit, double paper, double solved, double within, String note) {
        /** At most 1 if the figure comes out. */
        double off() {
            return Math.abs(value - solved) / within;
        }
    }

    private final List<Line> lines = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private final String order = SeedTables.ranked().stream().map(Estimate::from).collect(Collectors.joining(" < "));
    private int equal;

    static Outcome run(ObservatoryPlan plan, Consumer<String> progress) {
        SeedFigures figures = new SeedFigures();
        figures.tables();
        progress.accept("getBestCeSes beside brute force");
        LongStream.range(plan.seed(), plan.seed() + CASES).mapToObj(BruteForce::compare).forEach(difference -> {
            if (difference == null) {
                figures.equal++;
            } else {
                figures.failures.add(difference);
            }
        });
        return figures;
    }

    private void tables() {
        SeedTables.figure8().forEach(site -> add("GlueDomains, figure 8", site.name() + ", NetCost", site.netCost(), "", site.paper(), site.solved(), 1e-3,
                site.name().equals("ASTRO") ? "a misprint: 1447.66 with a jitter of 12 instead of 142" : ""));
        Optimiser.NetworkCosts slow = SeedTables.costs(SeedTables.SLOW);
        add("getNetworkCosts", "1246 MBy at 14.2015 Mbit/s", slow.cost(), "s", 701.94, 701.94, 0.01, "");
        Optimiser.NetworkCosts series = SeedTables.costs(SeedTables.RATES);
        add("getNetworkCosts", "the same by nine samples", series.cost(), "s", Double.NaN, 124.297, 1e-3, "");
        add("getNetworkCosts", "its error", series.error(), "s", Double.NaN, 16.250, 1e-3, "");
        add("closeness", "C(750, 14.5, 0)", Closeness.of(Closeness.ALPHA, 750, 14.5, 0), "", Double.NaN, 0.5791, 5e-5, "the formula is ours");
        add("closeness", "C(460, 21.4, 0.004)", Closeness.of(Closeness.ALPHA, 460, 21.4, 0.004), "", Double.NaN, 0.3861, 5e-5, "the formula is ours");
        SeedTables.table2().forEach(each -> add("DataGRID, table 2", each.roundTrip() + " ms at " + (int) each.mbits() + " Mbit/s", Window.octets(each.roundTrip(), each.mbits()) / 1e6, "MB",
                each.paper(), each.solved(), 1e-9, each.isMisprint() ? each.solved() + ", the paper prints " + each.paper() : ""));
    }

    private void add(String table, String what, double value, String unit, double paper, double solved, double within, String note) {
        lines.add(new Line(table, what, value, unit, paper, solved, within, note));
    }

    @Override
    public List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        for (Line each : lines) {
            rows.add(row(each.table, "tamanoir", each.what, each.value, each.unit));
            if (!Double.isNaN(each.paper)) {
                rows.add(row(each.table, "paper", each.what, each.paper, each.unit));
            }
        }
        rows.add(row("getBestCeSes", "tamanoir", "answers of brute force", equal, "of " + CASES));
        return rows;
    }

    private static Row row(String table, String system, String what, double value, String unit) {
        return new Row(table, system, 0, 0, what, value, unit, 1, value, value);
    }

    @Override
    public List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        lines.stream().collect(Collectors.groupingBy(Line::table, LinkedHashMap::new, Collectors.mapping(Line::off, Collectors.maxBy(Double::compare)))).forEach((table, worst) -> targets.add(
                Target.atMost(table + ": the largest difference from what its inputs give, in parts of its last digit", worst.orElseThrow(), 1)));
        targets.add(Target.atLeast("GlueDomains, figure 8: its order is " + order + "; " + String.join(" < ", ORDER) + " is asked", order.equals(String.join(" < ", ORDER)) ? 1.0 : 0.0, 1));
        targets.add(Target.atLeast("getBestCeSes: answers of brute force", (double) equal, CASES));
        return targets;
    }

    @Override
    public List<String> failures() {
        return failures;
    }

    @Override
    public void print(PrintWriter out) {
        new Table<Line>("tables of the seeds", each -> each.table + ": " + each.what).text("here", each -> text(each.value)).text("paper", each -> Double.isNaN(each.paper) ? "-" : text(each.paper))
                .text("unit", Line::unit).text("", Line::note).print(out, lines);
        out.printf("%n  %s: the order of figure 8%n  %d of %d random cases of getBestCeSes are answered as by brute force%n", order, equal, CASES);
    }

    private static String text(double value) {
        return String.format(Locale.ROOT, "%.7g", value).replaceFirst("(\\.\\d*?)0+$", "$1").replaceFirst("\\.$", "");
    }
}
