package org.tamanoir.benchmarks.streams;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.tamanoir.benchmarks.load.EchoServer;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.LabException;

/**
 * Runs the plan: every round measures every load through every chain, one chain directly after the other and in an order that turns, so that
 * whatever changes on the machine meanwhile changes it for all. Starts come last, when the chains have ended: compilers of other processes would
 * take part of the time.
 */
public final class StreamsBench {
    /**
     * What is to be run.
     *
     * @param rounds  how often everything is measured
     * @param run     how long one measurement counts
     * @param warmUp  how long each load runs through each system, twice, before the first round
     * @param against another build that is one more system, or null
     */
    public record Plan(int rounds, Duration run, Duration warmUp, Build against) {
        /** @throws IllegalArgumentException that says which figure cannot be run */
        public void check() {
            if (rounds < 1 || run.toSeconds() < 1 || warmUp.isNegative()) {
                throw new IllegalArgumentException("the bench takes at least one round, runs of at least 1 s, and no warm-up of less than none");
            }
        }

        private List<Build> builds() {
            return Stream.of(Build.own(), against).filter(build -> build != null).toList();
        }
    }

    private static final String NOW = Build.own().name();
    /** Compilers throw away what they assumed of one load when the next one comes, and after the second pass no more. */
    private static final int WARM_UPS = 2;
    private static final double OF_HAPROXY = 0.8;
    private static final double TIMES_OF_HAPROXY = 2;
    private static final double MAX_READY = 0.8;
    private static final double MAX_FIRST_BEYOND = 50;

    private final Plan plan;
    private final Measurements measured;
    private final List<String> names = new ArrayList<>();

    /** @param progress told what is being done, a line at a time */
    public StreamsBench(Plan plan, Consumer<String> progress) {
        this.plan = plan;
        this.measured = new Measurements(progress);
    }

    /** @throws LabException if a program is missing that cannot be installed, or does not start */
    public Report run() {
        try (Workbench workbench = new Workbench(); Servers servers = new Servers(workbench)) {
            measured.doing("starting servers and chains");
            List<Chain> chains = new ArrayList<>(List.of(Chain.direct(servers), Chain.haproxy(workbench, servers)));
            plan.builds().forEach(build -> chains.add(Chain.nodes(build, workbench, servers)));
            chains.forEach(chain -> names.add(chain.name()));
            for (int pass = 0; pass < WARM_UPS && !plan.warmUp().isZero(); pass++) {
                chains.forEach(this::warmUp);
            }
            measured.rounds(0, plan.rounds(), round -> loads(round, chains));
        } catch (IOException e) {
            throw new LabException("the servers: " + e.getMessage(), e);
        }
        try (Workbench workbench = new Workbench(); EchoServer echo = EchoServer.ofOctets(InetAddress.getLoopbackAddress())) {
            List<NodeStart> starts = plan.builds().stream().map(build -> new NodeStart(build, workbench, echo.address())).toList();
            measured.rounds(0, plan.rounds(), round -> starts.forEach(start -> measured.attempt(
                    start.build() + ", start, " + Measurements.name(round), () -> start.run(measured))));
        } catch (IOException e) {
            throw new LabException("the echo: " + e.getMessage(), e);
        }
        Map<String, String> machine = measured.machine();
        machine.put("buffers", "1 MB in HAProxy (tune.bufsize), a node's own");
        machine.put("threads", Runtime.getRuntime().availableProcessors()
                + " a process of HAProxy, as many event loops a node and a gateway");
        machine.put("warm-up", WARM_UPS + " times " + plan.warmUp().toSeconds()
                + " s of each load through each chain before the first round, for the JIT of the nodes; direct and HAProxy too");
        return measured.report(targets(measured.samples()));
    }

    /** What does not work is found in the rounds. */
    private void warmUp(Chain chain) {
        for (Work work : Work.values()) {
            String what = "warm-up, " + chain.name() + ", " + work;
            measured.doing(what);
            try {
                work.run(chain, plan.warmUp());
            } catch (LabException e) {
                measured.doing(what + ": " + e.getMessage());
            }
        }
    }

    private void loads(int round, List<Chain> chains) {
        for (Work work : Work.values()) {
            Map<String, Map<String, Double>> found = new TreeMap<>();
            for (Chain chain : Measurements.turned(chains, round)) {
                measured.attempt(chain.name() + ", " + work + ", " + Measurements.name(round),
                        () -> found.put(chain.name(), new TreeMap<>(work.run(chain, plan.run()))));
            }
            found.forEach((name, figures) -> figures.forEach((metric, value) -> {
                measured.add(work.key(name, metric), value);
                // Every chain in parts of each other, of the same round.
                found.forEach((other, its) -> {
                    if (!name.equals(other) && !name.equals(Chain.DIRECT)) {
                        measured.add(work.ratio(name, metric, other), value / its.get(metric));
                    }
                });
            }));
        }
    }

    static List<Target> targets(Samples samples) {
        List<Target> targets = new ArrayList<>();
        for (Work work : Work.values()) {
            for (String metric : work.metrics()) {
                String name = work.text() + ": " + metric + " of HAProxy three times";
                Double ratio = samples.median(work.ratio(NOW, metric, Chain.HAPROXY));
                targets.add(work == Work.FIRST_OCTET ? Target.atMost(name, ratio, TIMES_OF_HAPROXY) : Target.atLeast(name, ratio, OF_HAPROXY));
            }
        }
        targets.add(Target.atMost("start with stored services to READY, s", samples.median(NodeStart.ready(NOW)), MAX_READY));
        targets.add(Target.atMost("first stream after READY, ms beyond the hundredth",
                samples.median(NodeStart.stream(NOW, "first-beyond-hundredth")), MAX_FIRST_BEYOND));
        return targets;
    }

    private record Line(Work work, String metric, String name) {
        Key of(String other) {
            return work.ratio(name, metric, other);
        }
    }

    /** The figures for people. */
    public void print(PrintWriter out) {
        Samples samples = measured.samples();
        for (boolean rates : new boolean[] {true, false}) {
            List<Line> lines = new ArrayList<>();
            for (Work work : Work.values()) {
                if (rates != (work == Work.FIRST_OCTET)) {
                    work.metrics().forEach(metric -> names.forEach(name -> lines.add(new Line(work, metric, name))));
                }
            }
            new Table<Line>(rates ? "a second, medians" : "first octet, µs", line -> (rates ? line.work.text() : line.metric) + ", " + line.name)
                    .median("", "%,.0f", samples, line -> line.work.key(line.name, line.metric))
                    .median("of direct", "%.2f", samples, line -> line.of(Chain.DIRECT))
                    .median("of haproxy-3", "%.2f", samples, line -> line.of(Chain.HAPROXY))
                    .median("of before", "%.2f", samples, line -> line.of("before")).print(out, lines);
        }
        new Table<Build>("start with stored services", Build::name)
                .median("READY, s", "%.2f", samples, build -> NodeStart.ready(build.name()))
                .median("first stream, ms", "%.1f", samples, build -> NodeStart.stream(build.name(), "first-stream"))
                .median("hundredth stream, ms", "%.1f", samples, build -> NodeStart.stream(build.name(), "hundredth-stream"))
                .print(out, plan.builds());
    }
}
