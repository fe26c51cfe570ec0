package org.tamanoir.benchmarks.survive;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.process.CpuTime;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.process.ProcessTree;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.benchmarks.survive.Conversations.Side;
import org.tamanoir.benchmarks.survive.LoopbackSite.Way;
import org.tamanoir.lab.LabException;

/**
 * What marks cost. A program sends through a gateway, a node and an endpoint as fast as it can; through the same with as few marks as a session can have; and
 * through an ordinary gateway. Two JVMs that do the same differ by several percent, since each compiles in its own way; so sessions with marks and without take
 * turns in the same processes: with, without, without, with. The processes of the project share one CPU, which is never idle, so that throughput is what
 * their work costs; the program and its server have another one if there is one.
 */
public final class MarkCost extends MeasuredOutcome {
    static final String MARKS = "marks";
    static final String NO_MARKS = "no-marks";
    private static final String ITSELF = "itself";
    static final String ORDINARY = "ordinary-gateway";
    /** Acknowledgements are left, twenty a second: without them nothing that was sent would ever be forgotten. */
    private static final List<String> SELDOM = List.of("-Dtamanoir.session.marks=0," + (1 << 30) + "," + (1 << 30) + ",0");
    /** More than what is sent between two of these, so that neither kind of session waits for its ring. */
    private static final String[] RING = {"--ring", "64M", "--ring-memory", "256M"};
    private static final int WARM_UPS = 3;
    private static final Duration BEGINNING = Duration.ofMillis(300);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final double LEFT = 0.99;
    private static final double MORE = 1.01;

    private record Run(double octets, double seconds, double cpu) {
        Run and(Run other) {
            return new Run(octets + other.octets, seconds + other.seconds, cpu + other.cpu);
        }

        double rate() {
            return octets / seconds;
        }

        double cpuPerGigabyte() {
            return cpu * 1e9 / octets;
        }
    }

    private MarkCost(Measurements measured) {
        super("cost", measured);
    }

    /** @throws LabException if the processes cannot be started */
    public static Outcome run(SurvivePlan plan, Consumer<String> progress) {
        MarkCost cost = new MarkCost(new Measurements(progress));
        cost.measured.attemptAny("cost", () -> cost.run(plan));
        return cost;
    }

    private void run(SurvivePlan plan) throws IOException {
        ProcessTree self = new ProcessTree(ProcessHandle.current().pid());
        String all = ProcessTree.allCpus();
        try (LoopbackSite site = new LoopbackSite(1, plan.service()); Conversations load = new Conversations()) {
            self.pin("0");
            String theirs = all.equals("0") ? "0" : "1";
            site.nodes.get(0).tree().pin(theirs);
            try (Way sessions = site.resuming(load.server(), SELDOM, RING); Way ordinary = site.ordinary(load.server())) {
                sessions.processes().forEach(process -> process.pin(theirs));
                ordinary.processes().forEach(process -> process.pin(theirs));
                measured.rounds(WARM_UPS, plan.rounds().count(), round -> {
                    measured.doing(Measurements.name(round));
                    Duration length = plan.rounds().run();
                    Run first = run(sessions, load, length);
                    Run none = run(sessions, load, length).and(run(sessions, load, length));
                    Run second = run(sessions, load, length);
                    compare(first, second, none, run(ordinary, load, length));
                });
            }
        } finally {
            self.pin(all);
        }
    }

    private void compare(Run first, Run second, Run none, Run ordinary) {
        Run marks = first.and(second);
        figures(MARKS, marks);
        figures(NO_MARKS, none);
        figures(ORDINARY, ordinary);
        ratios(NO_MARKS, marks, none);
        ratios(ORDINARY, marks, ordinary);
        ratios(ITSELF, second, first);
    }

    private void figures(String name, Run run) {
        measured.add(key(name, "throughput", "MB/s"), run.rate() / 1e6);
        measured.add(key(name, "cpu", "s/GB"), run.cpuPerGigabyte());
    }

    private void ratios(String other, Run run, Run ofOther) {
        measured.add(throughput(other), run.rate() / ofOther.rate());
        measured.add(cpu(other), run.cpuPerGigabyte() / ofOther.cpuPerGigabyte());
    }

    private static Run run(Way way, Conversations load, Duration length) {
        load.open(way.entry(), 1, PATIENCE);
        load.send(Side.PROGRAMS, Conversations.ENDLESS);
        Pause.of(BEGINNING);
        long[] pids = way.processes().stream().mapToLong(ProcessTree::root).toArray();
        CpuTime cpu = CpuTime.of(pids);
        long arrived = load.arrived(Side.SERVERS);
        long start = System.nanoTime();
        Pause.of(length);
        double octets = load.arrived(Side.SERVERS) - arrived;
        double seconds = (System.nanoTime() - start) / 1e9;
        double used = CpuTime.of(pids).since(cpu);
        load.finish(PATIENCE);
        if (octets == 0) {
            throw new LabException("nothing has arrived");
        }
        return new Run(octets, seconds, used);
    }

    private static Key key(String system, String metric, String unit) {
        return new Key("cost", system, 0, 1, metric, unit);
    }

    /** Throughput of sessions as they are, of another system's. */
    private static Key throughput(String other) {
        return key(MARKS, "throughput-of-" + other, "ratio");
    }

    /** CPU time of gateway and endpoint for as many octets. */
    private static Key cpu(String other) {
        return key(MARKS, "cpu-of-" + other, "ratio");
    }

    @Override
    public List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        targets.add(Target.atLeast("throughput with marks, of that without", samples().median(throughput(NO_MARKS)), LEFT));
        targets.add(Target.atMost("CPU time of gateway and endpoint with marks, of that without", samples().median(cpu(NO_MARKS)), MORE));
        return targets;
    }

    @Override
    public void print(PrintWriter out) {
        out.println("Cost of marks: one stream; gateway, node and endpoint on one CPU. cpu: of gateway and endpoint. Ratios are medians of those of each round.");
        super.print(out);
        out.println();
    }
}
