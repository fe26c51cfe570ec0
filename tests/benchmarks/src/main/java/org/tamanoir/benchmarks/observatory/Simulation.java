package org.tamanoir.benchmarks.observatory;

import java.io.PrintWriter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.paths.agenda.Agenda;
import org.tamanoir.paths.agenda.RandomPlan;
import org.tamanoir.paths.agenda.Run;

/** The agenda with a simulated clock: random plans, a day of many domains in a full mesh, and what measuring costs those who are measured. */
final class Simulation extends MeasuredOutcome {
    private static final long DAY = 86_400_000;
    private static final double LINK = 1e9;
    private static final double MOST_PROBES = 1;
    private static final double MOST_BOOKED = 100;

    private final ObservatoryPlan plan;
    private final Mesh mesh;
    private int clean;

    private Simulation(ObservatoryPlan plan, Measurements measured) {
        super("simulation", measured);
        this.plan = plan;
        this.mesh = new Mesh(plan.domains());
    }

    static Outcome run(ObservatoryPlan plan, Consumer<String> progress) {
        Simulation simulation = new Simulation(plan, new Measurements(progress));
        simulation.randomPlans();
        simulation.day();
        simulation.load();
        return simulation;
    }

    private void randomPlans() {
        RandomPlan.Outcome all = new RandomPlan.Outcome(0, 0, 0);
        for (int i = 0; i < plan.plans(); i++) {
            long seed = plan.seed() + i;
            if (i % 500 == 0) {
                measured.doing("random plan " + i + " of " + plan.plans());
            }
            try {
                all = all.plus(RandomPlan.play(seed, System::nanoTime));
                clean++;
            } catch (AssertionError e) {
                measured.failed("the plan of seed " + seed + ": " + e.getMessage());
            }
        }
        add("random plans", "throughput tests", "", all.flows());
        add("random plans", "runs", "", all.runs());
        add("random plans", "agenda's own time a run", "µs", all.nanos() / 1e3 / all.runs());
    }

    /** Each flow takes all of its time: nobody is early. */
    private void day() {
        measured.doing("a day of " + plan.domains() + " domains");
        Agenda agenda = new Agenda(plan.seed());
        long began = System.nanoTime();
        agenda.replace(mesh.flows(), Mesh::bottlenecks, 0);
        double planned = (System.nanoTime() - began) / 1e6;
        double most = agenda.load().values().stream().mapToDouble(Double::doubleValue).max().orElse(0);
        Deque<Run> running = new ArrayDeque<>();
        int begun = 0;
        int skipped = 0;
        long last = 0;
        began = System.nanoTime();
        while (agenda.next() < DAY) {
            long now = agenda.next();
            while (!running.isEmpty() && running.peek().ends() <= now) {
                agenda.done(running.poll().number(), now);
            }
            List<Run> due = agenda.due(now);
            due.forEach(running::addLast);
            begun += due.size();
        }
        double nanos = System.nanoTime() - began;
        for (Run run : agenda.past()) {
            skipped += run.state() == Run.State.SKIPPED ? 1 : 0;
            last = Math.max(last, run.begins() - run.due());
        }
        add("a day of the mesh", "sessions", "", mesh.sessionCount());
        add("a day of the mesh", "flows that began", "", begun);
        add("a day of the mesh", "skipped of the last 10000", "", skipped);
        add("a day of the mesh", "longest slip of the last 10000", "min", last / 60e3);
        add("a day of the mesh", "a plan is taken in", "ms", planned);
        add("a day of the mesh", "agenda's own time a flow", "µs", nanos / 1e3 / Math.max(1, begun));
        add("a day of the mesh", "time of a link that flows are booked for", "%", 100 * most);
    }

    private void load() {
        add("load of measuring", "probes a theodolite sends a second", "1/s", mesh.probesSent());
        add("load of measuring", "probes on an access link, one way", "kB/s", mesh.probeOctets() / 1e3);
        add("load of measuring", "of 1 Gbit/s", "%", 100 * probeShare());
        add("load of measuring", "time in which a flow fills the link, one way", "%", 100 * mesh.flowShare());
        add("load of measuring", "requests to the observatory", "1/s", mesh.requests());
        add("load of measuring", "samples", "1/s", mesh.samplesADay() / 86_400);
    }

    private double probeShare() {
        return mesh.probeOctets() * 8 / LINK;
    }

    private void add(String what, String metric, String unit, double value) {
        measured.add(key(what, metric, unit), value);
    }

    private static Key key(String what, String metric, String unit) {
        return new Key(what, "tamanoir", 0, 0, metric, unit);
    }

    @Override
    public List<Target> targets() {
        return List.of(Target.atLeast("random plans of which no two tests shared a theodolite or a bottleneck and all began within their slip", (double) clean, plan.plans()),
                Target.atMost("flows of the mesh that were skipped", samples().median(key("a day of the mesh", "skipped of the last 10000", "")), 0),
                Target.atMost("probes of the mesh on an access link of 1 Gbit/s, %", 100 * probeShare(), MOST_PROBES),
                Target.atMost("time of the busiest bottleneck that is booked, %", samples().median(key("a day of the mesh", "time of a link that flows are booked for", "%")), MOST_BOOKED));
    }

    @Override
    public void print(PrintWriter out) {
        Table.printRanges(out, rows());
        out.printf("%n  %d random plans, seeds from %d; %d domains in a full mesh: %s%n", plan.plans(), plan.seed(), plan.domains(), Mesh.DESCRIPTION);
    }
}
