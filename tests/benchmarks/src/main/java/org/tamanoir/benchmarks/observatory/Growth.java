package org.tamanoir.benchmarks.observatory;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.database.Database;
import org.tamanoir.lab.LabException;
import org.tamanoir.observatory.ObservatoryServer;
import org.tamanoir.observatory.ObservatorySettings;
import org.tamanoir.observatory.live.Observatory;
import org.tamanoir.observatory.store.Documents.Format;
import org.tamanoir.paths.cost.Query;
import org.tamanoir.paths.plan.Measurement.Kind;
import org.tamanoir.paths.wire.SampleAnswer;

/**
 * How a database grows: the observatory's own intake and retention with a simulated clock. For some days nothing is forgotten; then as many pass of which each
 * forgets the oldest. A year is what the last day added for each row times the rows of a year, and what retention leaves is that of the days that are kept.
 */
final class Growth extends MeasuredOutcome {
    private static final long DAY = 86_400_000;
    private static final int RUNS_A_DAY = 288;
    private static final int HOURS = 24;
    private static final int DAYS_OF_A_YEAR = 365;
    /** More than pass here, and so few that PostgreSQL has a partition for each day. */
    private static final int KEPT_DAYS = 90;
    private static final double GIGA = 1e9;
    private static final int REPLICAS = 100;
    private static final int QUESTIONS = 200;
    private static final int ROUNDS_OF_ALL = 2;
    private static final double MOST_GROWTH = 1.1;
    private static final double MOST_KEPT = 1.25;
    /** The largest of GlueDomains' successors that the facts of this project name, and the mesh that is asked for. */
    private static final int FEWER = 50;
    private static final List<String> PRODUCTS = List.of(Stores.SQLITE, Stores.POSTGRESQL);

    private final ObservatoryPlan plan;

    private Growth(ObservatoryPlan plan, Measurements measured) {
        super("database", measured);
        this.plan = plan;
    }

    static Outcome run(ObservatoryPlan plan, Consumer<String> progress) {
        Growth growth = new Growth(plan, new Measurements(progress));
        try (Stores stores = new Stores()) {
            for (String product : PRODUCTS) {
                growth.measured.attemptAny(product, () -> growth.live(stores, product));
            }
        }
        return growth;
    }

    /** Each path has as many rows a day as one that is measured every five minutes: what an index looks like depends on it. */
    private int domains() {
        int domains = 2;
        while ((domains + 1) * domains * RUNS_A_DAY <= plan.rows()) {
            domains++;
        }
        return domains;
    }

    private void live(Stores stores, String product) {
        long end = System.currentTimeMillis() - 1000;
        try (ObservatoryServer server = stores.serve(product, Duration.ofDays(KEPT_DAYS))) {
            Observatory observatory = server.observatory();
            Database database = observatory.database();
            MeshSamples few = new MeshSamples(plan.seed(), domains(), 1);
            few.join(observatory);
            long before = stores.octets(product, database);
            for (int day = 0; day < 2 * plan.days(); day++) {
                measured.doing(product + ", day " + (day + 1) + " of " + 2 * plan.days());
                long begins = end - (2L * plan.days() - day) * DAY;
                long began = System.nanoTime();
                long rows = day(observatory, few, begins);
                double seconds = (System.nanoTime() - began) / 1e9;
                if (day >= plan.days()) {
                    began = System.nanoTime();
                    int gone = observatory.samples().forget(begins + DAY - plan.days() * DAY);
                    add(product, "forgetting a day", "s", (System.nanoTime() - began) / 1e9);
                    add(product, "rows that a day forgets", "", gone);
                }
                long after = stores.octets(product, database);
                add(product, "intake", "samples/s", rows / seconds);
                if (day < plan.days()) {
                    add(product, day == 0 ? "octets a row, first day" : "octets a row, later days", "B", (after - before) / (double) rows);
                }
                if (day == plan.days() - 1) {
                    add(product, "size before anything is forgotten", "MB", after / 1e6);
                }
                before = after;
            }
            add(product, "size after as many days with retention", "MB", before / 1e6);
            questions(observatory, product, end);
        }
    }

    /** A request of each theodolite an hour: this is about room, and not about how often the disk is waited for. */
    private static long day(Observatory observatory, MeshSamples samples, long begins) {
        long rows = 0;
        for (int hour = 0; hour < HOURS; hour++) {
            for (int theodolite = 0; theodolite < samples.domains(); theodolite++) {
                StringBuilder lines = new StringBuilder();
                for (int run = hour * RUNS_A_DAY / HOURS; run < (hour + 1) * RUNS_A_DAY / HOURS; run++) {
                    lines.append(samples.request(theodolite, Kind.ROUND_TRIP, begins + run * (DAY / RUNS_A_DAY)));
                }
                rows += take(observatory, lines.toString(), (samples.domains() - 1) * RUNS_A_DAY / HOURS, begins + DAY);
            }
        }
        return rows;
    }

    private static long take(Observatory observatory, String lines, int count, long now) {
        SampleAnswer answer = observatory.intake().take(lines, MeshSamples.identity(), now);
        if (answer.kept() != count) {
            throw new LabException("of " + count + " samples " + answer.kept() + " are kept: " + answer.refused());
        }
        return count;
    }

    private static void round(Observatory observatory, MeshSamples samples, Kind kind, long time) {
        for (int theodolite = 0; theodolite < samples.domains(); theodolite++) {
            take(observatory, samples.request(theodolite, kind, time), samples.domains() - 1, time);
        }
    }

    /** With every path of the whole mesh measured. */
    private void questions(Observatory observatory, String product, long now) {
        int domains = Math.max(plan.domains(), 2);
        measured.doing(product + ", costs of " + domains + " domains");
        observatory.putTopology(Mesh.topology(domains), MeshSamples.identity(), null);
        observatory.putPlan(Format.YAML, Mesh.yaml(domains), MeshSamples.identity(), null);
        MeshSamples all = new MeshSamples(plan.seed() + 1, domains, 2);
        all.join(observatory);
        for (int i = 0; i < ROUNDS_OF_ALL; i++) {
            round(observatory, all, Kind.ROUND_TRIP, now - ROUNDS_OF_ALL + i);
            round(observatory, all, Kind.THROUGHPUT, now - ROUNDS_OF_ALL + i);
        }
        Query query = Query.of(GIGA, now, Duration.ofHours(1).toMillis());
        List<String> replicas = IntStream.rangeClosed(1, REPLICAS).mapToObj(i -> Mesh.host(i % domains)).distinct().toList();
        int known = 0;
        for (int i = 0; i < QUESTIONS; i++) {
            String from = Mesh.host(i % domains);
            String to = Mesh.host((i * 7 + 1) % domains);
            long began = System.nanoTime();
            known += observatory.knowledge().costs(from, to, query, 0.5, 1460, false).values().stream().allMatch(each -> each.isKnown()) ? 1 : 0;
            add(product, "cost of a path", "ms", (System.nanoTime() - began) / 1e6);
            began = System.nanoTime();
            observatory.knowledge().rank(replicas, List.of(Mesh.host(0)), query, "time", 0.5, 1460);
            add(product, "rank of " + replicas.size() + " replicas", "ms", (System.nanoTime() - began) / 1e6);
        }
        add(product, "paths whose costs are known", "%", 100.0 * known / QUESTIONS);
    }

    private void add(String product, String metric, String unit, double value) {
        measured.add(key(product, metric, unit), value);
    }

    private static Key key(String product, String metric, String unit) {
        return new Key("database", product, 0, 0, metric, unit);
    }

    private Double octetsARow(String product) {
        return samples().median(key(product, "octets a row, later days", "B"));
    }

    private Double ratio(String product, Key over, Key under) {
        Double first = samples().median(over);
        Double second = samples().median(under);
        return first == null || second == null ? null : first / second;
    }

    @Override
    public List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (String product : PRODUCTS) {
            targets.add(Target.atMost(product + ": octets a row of later days in parts of the first day's",
                    ratio(product, key(product, "octets a row, later days", "B"), key(product, "octets a row, first day", "B")), MOST_GROWTH));
            targets.add(Target.atMost(product + ": size after days with retention in parts of that before",
                    ratio(product, key(product, "size after as many days with retention", "MB"), key(product, "size before anything is forgotten", "MB")), MOST_KEPT));
            targets.add(Target.atLeast(product + ": paths whose costs are known, %", samples().median(key(product, "paths whose costs are known", "%")), 100));
        }
        return targets;
    }

    @Override
    public void print(PrintWriter out) {
        Table.printRanges(out, rows());
        out.printf("%n  rows of %d domains, every path every 5 minutes, %d days, then %d more with the oldest forgotten; seed %d%n", domains(), plan.days(), plan.days(), plan.seed());
        for (String product : PRODUCTS) {
            for (int domains : new int[] {FEWER, plan.domains()}) {
                Mesh mesh = new Mesh(domains);
                if (octetsARow(product) != null) {
                    double day = mesh.samplesADay() * octetsARow(product) / GIGA;
                    out.printf(Locale.ROOT, "  %s, %d domains (%s): %.3g rows a day, %.3g GB a day, %.4g GB after a year if all are kept, %.4g GB with the %d days that are preset%n", product, domains,
                            Mesh.DESCRIPTION, mesh.samplesADay(), day, DAYS_OF_A_YEAR * day, ObservatorySettings.KEEP.toDays() * day, ObservatorySettings.KEEP.toDays());
                }
            }
        }
        out.printf("  the rule: octets of a row on later days, times rows; an index of more rows is no deeper than by a page or two%n");
    }
}
