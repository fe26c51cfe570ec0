package org.tamanoir.benchmarks.survive;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
 * through an ordinary gateway. One directly after the other in an order that turns, and what is compared is of the same round. The processes of the project
 * share one CPU, which is never idle, so that throughput is what their work costs; the program and its server have another one if there is one.
 */
public final class MarkCost extends MeasuredOutcome {
    static final String MARKS = "marks";
    static final String NO_MARKS = "no-marks";
    static final String ORDINARY = "ordinary-gateway";
    /** Acknowledgements are left, twenty a second: without them nothing that was sent would ever be forgotten. */
    private static final List<String> SELDOM = List.of("-Dtamanoir.session.mark=" + (1 << 30));
    /** More than what is sent between two of these, so that neither kind of session waits for its ring. */
    private static final String[] RING = {"--ring", "64M", "--ring-memory", "256M"};
    private static final int WARM_UPS = 3;
    private static final Duration BEGINNING = Duration.ofMillis(300);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final double LEFT = 0.99;
    private static final double MORE = 1.01;

    private record Run(double octetsPerSecond, double cpuPerGigabyte) {
    }

    private int turn;

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
            Map<String, Way> ways = new LinkedHashMap<>();
            ways.put(MARKS, site.resuming(load.server(), List.of(), RING));
            ways.put(NO_MARKS, site.resuming(load.server(), SELDOM, RING));
            ways.put(ORDINARY, site.ordinary(load.server()));
            self.pin("0");
            String theirs = all.equals("0") ? "0" : "1";
            site.nodes.get(0).tree().pin(theirs);
            ways.values().forEach(way -> way.processes().forEach(process -> process.pin(theirs)));
            measured.rounds(WARM_UPS, plan.rounds().count(), round -> {
                measured.doing(Measurements.name(round));
                compare(ways, load, plan.rounds().run());
            });
        } finally {
            self.pin(all);
        }
    }

    private void compare(Map<String, Way> ways, Conversations load, Duration length) {
        Map<String, Run> runs = new LinkedHashMap<>();
        for (String name : Measurements.turned(List.copyOf(ways.keySet()), turn++)) {
            runs.put(name, run(ways.get(name), load, length));
        }
        runs.forEach((name, run) -> {
            measured.add(key(name, "throughput", "MB/s"), run.octetsPerSecond / 1e6);
            measured.add(key(name, "cpu", "s/GB"), run.cpuPerGigabyte);
        });
        for (String other : List.of(NO_MARKS, ORDINARY)) {
            measured.add(throughput(other), runs.get(MARKS).octetsPerSecond / runs.get(other).octetsPerSecond);
            measured.add(cpu(other), runs.get(MARKS).cpuPerGigabyte / runs.get(other).cpuPerGigabyte);
        }
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
        return new Run(octets / seconds, used * 1e9 / octets);
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
