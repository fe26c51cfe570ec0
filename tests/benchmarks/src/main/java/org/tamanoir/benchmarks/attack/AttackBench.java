package org.tamanoir.benchmarks.attack;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.attack.SteadyStream.Seen;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.LabException;

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

    private final List<AttackKind> kinds;
    private final List<Build> builds;
    private final boolean quick;
    private final Consumer<String> progress;
    private final Samples samples = new Samples();
    private final List<Target> targets = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    /**
     * @param builds   of which the targets are asked of the first
     * @param quick    shorter attacks
     * @param progress told what is being done, a line at a time
     */
    public AttackBench(List<AttackKind> kinds, List<Build> builds, boolean quick, Consumer<String> progress) {
        this.kinds = kinds;
        this.builds = builds;
        this.quick = quick;
        this.progress = progress;
    }

    public void run() {
        for (AttackKind kind : kinds) {
            for (Build build : builds) {
                progress.accept(kind + ", " + build);
                try {
                    attack(kind, build);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new LabException("interrupted", e);
                } catch (Exception e) {
                    failures.add(kind + ", " + build + ": " + e.getMessage());
                }
            }
            targets.addAll(targets(kind, builds.get(0)));
        }
    }

    private void attack(AttackKind kind, Build build) throws Exception {
        Attack attack = kind.attack(quick);
        Attack.Found found = Attack.Found.into(samples::add, kind.toString(), build.name(), attack.streams());
        try (Victim victim = attack.victim(build)) {
            if (attack.hasBystander()) {
                besideABystander(attack, victim, found);
            } else {
                watched(attack, victim, found);
            }
        }
    }

    private void besideABystander(Attack attack, Victim victim, Attack.Found found) throws Exception {
        try (SteadyStream steady = SteadyStream.through(victim); SteadyStream direct = SteadyStream.direct(victim)) {
            Thread.sleep(1000);
            steady.begin();
            Thread.sleep(quick ? 2000 : 5000);
            Seen before = steady.seen();
            steady.begin();
            direct.begin();
            watched(attack, victim, found);
            Seen during = steady.seen();
            Seen machine = direct.seen();
            found.add("steady-rate-before", "MB/s", before.rate() / MEGA);
            found.add("steady-rate", "MB/s", during.rate() / MEGA);
            found.add("steady-rate-of-direct", "ratio", during.rate() / machine.rate());
            found.add("steady-gap-before", "s", before.gap());
            found.add("steady-gap", "s", during.gap());
            found.add("steady-gap-beyond-direct", "s", Math.max(0, during.gap() - machine.gap()));
        }
    }

    private static void watched(Attack attack, Victim victim, Attack.Found found) throws Exception {
        try (MemoryWatch memory = new MemoryWatch(victim)) {
            try {
                attack.run(victim, found);
            } finally {
                found.add("direct-memory", "MB", memory.direct() / MEGA);
                found.add("configured", "MB", memory.configured() / MEGA);
                found.add("resident-peak", "MB", memory.resident() / MEGA);
                found.add("alive", "1", victim.nodes().stream().allMatch(node -> node.isAlive()) ? 1 : 0);
            }
        }
    }

    private List<Target> targets(AttackKind kind, Build build) {
        List<Target> asked = new ArrayList<>();
        Double configured = value(kind, build, "configured");
        asked.add(Target.atMost(kind + ": direct memory, MB", value(kind, build, "direct-memory"), configured == null ? MemoryWatch.PROMISED / MEGA : configured));
        if (kind.isDisturbance()) {
            asked.add(Target.atMost(kind + ": p99 of an open stream's delay in parts of that without, beyond a direct one's",
                    value(kind, build, "p99-growth-beyond-direct"), MAX_GROWTH));
        } else if (kind != AttackKind.STOPPED_NODE) {
            asked.add(Target.atLeast(kind + ": rate of another stream, of a direct one", value(kind, build, "steady-rate-of-direct"), MIN_RATE));
            asked.add(Target.atMost(kind + ": longest silence of another stream, beyond that of a direct one, s",
                    value(kind, build, "steady-gap-beyond-direct"), MAX_GAP));
        }
        switch (kind) {
            case IDLE_STREAMS -> asked.add(Target.atMost(kind + ": resident memory, MB", value(kind, build, "resident"), MAX_IDLE_MB));
            case STRANGER -> asked.add(Target.atLeast(kind + ": TCP streams let in, of 20", value(kind, build, "tcp-streams-let-in"), 20));
            case STOPPED_NODE -> {
                asked.add(Target.atMost(kind + ": downloads lost when the last node stops", value(kind, build, "lost-when-last-stops"), 0));
                asked.add(Target.atMost(kind + ": downloads lost when the first node stops", value(kind, build, "lost-when-first-stops"), 0));
            }
            default -> { }
        }
        return asked;
    }

    private Double value(AttackKind kind, Build build, String metric) {
        return samples.rows().stream().filter(row -> row.benchCase().equals(kind.toString()) && row.system().equals(build.name()) && row.metric().equals(metric))
                .map(Row::value).findFirst().orElse(null);
    }

    public List<Row> rows() {
        return samples.rows();
    }

    /** What is asked of the first build. */
    public List<Target> targets() {
        return List.copyOf(targets);
    }

    /** Attacks that could not be carried out, and why. */
    public List<String> failures() {
        return List.copyOf(failures);
    }

    /** A line for each attack and build. */
    public void print(PrintWriter out) {
        out.printf("%n%-20s %7s %-7s %9s %10s %8s   %-31s %-24s %s%n", "", "", "", "direct", "configured", "resident", "another stream, MB/s", "its silence, s", "");
        out.printf("%-20s %7s %-7s %9s %10s %8s   %9s %9s %11s %7s %7s %8s   %s%n", "attack", "streams", "build", "MB", "MB", "peak MB", "before", "during", "of direct", "before",
                "during", "beyond", "and");
        for (AttackKind kind : kinds) {
            for (Build build : builds) {
                out.printf("%-20s %7d %-7s %9s %10s %8s   %9s %9s %11s %7s %7s %8s   %s%n", kind, kind.attack(quick).streams(), build, Samples.text("%.0f", value(kind, build, "direct-memory")),
                        Samples.text("%.0f", value(kind, build, "configured")), Samples.text("%.0f", value(kind, build, "resident-peak")),
                        Samples.text("%.2f", value(kind, build, "steady-rate-before")), Samples.text("%.2f", value(kind, build, "steady-rate")),
                        Samples.text("%.2f", value(kind, build, "steady-rate-of-direct")), Samples.text("%.2f", value(kind, build, "steady-gap-before")),
                        Samples.text("%.2f", value(kind, build, "steady-gap")), Samples.text("%.2f", value(kind, build, "steady-gap-beyond-direct")), others(kind, build));
            }
        }
    }

    private String others(AttackKind kind, Build build) {
        StringBuilder text = new StringBuilder();
        for (Row row : samples.rows()) {
            if (row.benchCase().equals(kind.toString()) && row.system().equals(build.name()) && !COLUMNS.contains(row.metric())) {
                text.append(String.format(row.unit().equals("ratio") ? "%s%s %,.2f%s" : "%s%s %,.0f%s", text.isEmpty() ? "" : ", ", row.metric(), row.value(), row.unit().equals("1") ? "" : " " + row.unit()));
            }
        }
        if (Double.valueOf(0).equals(value(kind, build, "alive"))) {
            text.append(text.isEmpty() ? "" : ", ").append("THE NODE DIED");
        }
        return text.toString();
    }
}
