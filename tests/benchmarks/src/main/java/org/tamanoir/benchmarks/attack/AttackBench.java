package org.tamanoir.benchmarks.attack;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tamanoir.benchmarks.attack.Attack.Run;
import org.tamanoir.benchmarks.attack.SteadyStream.Seen;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;

/** Attack after attack, each on new processes of each build in turn. */
public final class AttackBench {
    private static final double MAX_IDLE_MB = 400;
    private static final double MIN_RATE = 0.9;
    private static final double MAX_GAP = 0.5;
    private static final double MAX_GROWTH = 1.2;
    private static final double MEGA = 1e6;
    /** Metrics that have a column of their own in the table. */
    private static final List<String> COLUMNS = List.of("direct-memory", "configured", "resident-peak", "steady-rate-before", "steady-rate",
            "steady-rate-of-direct", "steady-gap-before", "steady-gap", "steady-gap-beyond-direct", "alive");

    private final List<Attack> attacks;
    private final List<Build> builds;
    private final boolean quick;
    private final Measurements measurements;

    /**
     * @param builds   of which the targets are asked of the first
     * @param quick    shorter attacks
     * @param progress told what is being done, a line at a time
     */
    public AttackBench(List<Attack> attacks, List<Build> builds, boolean quick, Consumer<String> progress) {
        this.attacks = attacks;
        this.builds = builds;
        this.quick = quick;
        this.measurements = new Measurements(progress);
    }

    public Report run() {
        List<Target> targets = new ArrayList<>();
        for (Attack attack : attacks) {
            for (Build build : builds) {
                measurements.attemptAny(attack + ", " + build, () -> {
                    try (Victim victim = attack.victim(build)) {
                        attack(new Run(attack, victim, quick, measurements));
                    }
                });
            }
            targets.addAll(targets(attack, metric -> value(attack, builds.get(0), metric)));
        }
        return measurements.report(targets);
    }

    private void attack(Run run) throws Exception {
        if (!run.attack().hasBystander()) {
            watched(run);
            return;
        }
        try (SteadyStream steady = SteadyStream.open(SteadyStream.SENDING, run.victim(), false);
                SteadyStream direct = SteadyStream.open(SteadyStream.SENDING, run.victim(), true)) {
            Thread.sleep(1000);
            steady.begin();
            Thread.sleep(quick ? 2000 : 5000);
            Seen before = steady.seen();
            steady.begin();
            direct.begin();
            watched(run);
            Seen during = steady.seen();
            Seen machine = direct.seen();
            run.found("steady-rate-before", "MB/s", before.rate() / MEGA);
            run.found("steady-rate", "MB/s", during.rate() / MEGA);
            run.found("steady-rate-of-direct", "ratio", during.rate() / machine.rate());
            run.found("steady-gap-before", "s", before.gap());
            run.found("steady-gap", "s", during.gap());
            run.found("steady-gap-beyond-direct", "s", Math.max(0, during.gap() - machine.gap()));
        }
    }

    private static void watched(Run run) throws Exception {
        try (MemoryWatch memory = new MemoryWatch(run.victim())) {
            try {
                run.take();
            } finally {
                run.found("direct-memory", "MB", memory.direct() / MEGA);
                run.found("configured", "MB", memory.configured() / MEGA);
                run.found("resident-peak", "MB", memory.resident() / MEGA);
                run.found("alive", "1", run.victim().nodes.stream().allMatch(NodeProcess::isAlive) ? 1 : 0);
            }
        }
    }

    /** What is asked of a node. @param value of a metric; null if it was not measured */
    static List<Target> targets(Attack attack, Function<String, Double> value) {
        List<Target> asked = new ArrayList<>();
        Double configured = value.apply("configured");
        asked.add(Target.atLeast(attack + ": the node lives", value.apply("alive"), 1));
        asked.add(Target.atMost(attack + ": direct memory, MB", value.apply("direct-memory"),
                configured == null ? MemoryWatch.PROMISED / MEGA : configured));
        if (attack.isDisturbance()) {
            asked.add(Target.atMost(attack + ": p99 of an open stream's delay in parts of that without, beyond a direct one's",
                    value.apply("p99-growth-beyond-direct"), MAX_GROWTH));
        }
        if (attack.hasBystander()) {
            asked.add(Target.atLeast(attack + ": rate of another stream, of a direct one", value.apply("steady-rate-of-direct"), MIN_RATE));
            asked.add(Target.atMost(attack + ": longest silence of another stream, beyond that of a direct one, s",
                    value.apply("steady-gap-beyond-direct"), MAX_GAP));
        }
        switch (attack) {
            case IDLE_STREAMS -> asked.add(Target.atMost(attack + ": resident memory, MB", value.apply("resident"), MAX_IDLE_MB));
            case STRANGER -> asked.add(Target.atLeast(attack + ": TCP streams let in, of 20", value.apply("tcp-streams-let-in"), 20));
            case STOPPED_NODE -> {
                asked.add(Target.atMost(attack + ": downloads lost when the last node stops", value.apply("lost-when-last-stops"), 0));
                asked.add(Target.atMost(attack + ": downloads lost when the first node stops", value.apply("lost-when-first-stops"), 0));
            }
            default -> { }
        }
        return asked;
    }

    private Double value(Attack attack, Build build, String metric) {
        return rows(attack, build).filter(row -> row.metric().equals(metric)).map(Row::value).findFirst().orElse(null);
    }

    private Stream<Row> rows(Attack attack, Build build) {
        return measurements.samples().rows().stream().filter(row -> row.benchCase().equals(attack.toString()) && row.system().equals(build.name()));
    }

    private record Attacked(Attack attack, Build build) {
    }

    /** A line for each attack and build; what only one attack measures stands at the end of it. */
    public void print(PrintWriter out) {
        Table<Attacked> table = new Table<>("attack", line -> line.attack + " (" + line.attack.streams() + "), " + line.build);
        COLUMNS.forEach(metric -> table.number(metric, metric.startsWith("steady") ? "%.2f" : "%.0f",
                line -> value(line.attack, line.build, metric)));
        table.text("  and", line -> "  " + others(line)).print(out,
                attacks.stream().flatMap(attack -> builds.stream().map(build -> new Attacked(attack, build))).toList());
    }

    private String others(Attacked line) {
        return rows(line.attack, line.build).filter(row -> !COLUMNS.contains(row.metric()))
                .map(row -> String.format(row.unit().equals("ratio") ? "%s %,.2f" : "%s %,.0f", row.metric(), row.value())
                        + (row.unit().equals("1") ? "" : " " + row.unit()))
                .collect(Collectors.joining(", "));
    }
}
