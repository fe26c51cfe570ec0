package org.tamanoir.benchmarks.streams;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.report.Machine;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.LabException;

/**
 * Runs the plan: every round measures every load through every chain, one chain directly after the other and in an order that turns, so that
 * whatever changes on the machine meanwhile changes it for all. Starts come last, when the chains have ended: compilers of other processes would
 * take part of the time.
 */
public final class StreamsBench {
    private static final String NOW = Build.own().name();
    private static final String SET_UP = "first-octet";
    private static final String START = "start";
    /** Compilers throw away what they assumed of one load when the next one comes, and after the second pass no more. */
    private static final int WARM_UPS = 2;
    private static final double OF_HAPROXY = 0.8;
    private static final double TIMES_OF_HAPROXY = 2;
    private static final double MAX_READY = 0.8;
    private static final double MAX_FIRST_BEYOND = 50;

    private final StreamsPlan plan;
    private final Consumer<String> progress;
    private final Samples samples = new Samples();
    private final List<String> failures = new ArrayList<>();
    private final List<String> names = new ArrayList<>();

    /** @param progress told what is being done, a line at a time */
    public StreamsBench(StreamsPlan plan, Consumer<String> progress) {
        this.plan = plan;
        this.progress = progress;
    }

    /** @throws LabException if a program is missing that cannot be installed, or does not start */
    public Report run() {
        Map<String, String> machine = Machine.describe();
        try (Workbench workbench = new Workbench(); Servers servers = new Servers(workbench)) {
            List<Chain> chains = start(workbench, servers);
            chains.forEach(chain -> names.add(chain.name()));
            for (int pass = 0; pass < WARM_UPS; pass++) {
                chains.forEach(this::warmUp);
            }
            for (int round = 0; round < plan.rounds(); round++) {
                loads(round, chains);
            }
        } catch (IOException e) {
            throw new LabException("the servers: " + e.getMessage(), e);
        }
        try (Workbench workbench = new Workbench(); FirstOctet.Echo echo = new FirstOctet.Echo()) {
            List<NodeStart> starts = plan.builds().stream().map(build -> new NodeStart(build, workbench, echo.address())).toList();
            for (int round = 0; round < plan.rounds(); round++) {
                starts(round, starts);
            }
        } catch (IOException e) {
            throw new LabException("the echo: " + e.getMessage(), e);
        }
        machine.put("load", machine.get("load") + " before, " + Machine.load() + " after");
        machine.put("buffers", "1 MB in HAProxy (tune.bufsize), a node's own");
        machine.put("threads", Runtime.getRuntime().availableProcessors() + " a process of HAProxy, as many event loops a node and a gateway");
        machine.put("warm-up", WARM_UPS + " times " + plan.warmUp().toSeconds() + " s of each load through each chain before the first round, for the JIT of the nodes; direct and HAProxy too");
        return new Report(machine, samples.rows(), targets(samples), List.copyOf(failures));
    }

    private List<Chain> start(Workbench workbench, Servers servers) {
        progress.accept("starting servers and chains");
        List<Chain> chains = new ArrayList<>(List.of(Chain.direct(servers), Chain.haproxy(workbench, servers)));
        plan.builds().forEach(build -> chains.add(Chain.nodes(build, workbench, servers)));
        return chains;
    }

    private void warmUp(Chain chain) {
        for (Work work : Work.values()) {
            warmUp(chain.name() + ", " + work, () -> work.run(chain, plan.warmUp()));
        }
        warmUp(chain.name() + ", " + SET_UP, () -> FirstOctet.run(chain.echo(), plan.warmUp()));
    }

    /** What does not work is found in the rounds. */
    private void warmUp(String what, Runnable run) {
        progress.accept("warm-up, " + what);
        try {
            run.run();
        } catch (LabException e) {
            progress.accept("warm-up, " + what + ": " + e.getMessage());
        }
    }

    private void loads(int round, List<Chain> chains) {
        List<Chain> turned = new ArrayList<>(chains);
        Collections.rotate(turned, -round);
        for (Work work : Work.values()) {
            Map<String, Double> rates = new HashMap<>();
            for (Chain chain : turned) {
                attempt(round, chain.name() + ", " + work, () -> {
                    rates.put(chain.name(), work.run(chain, plan.run()));
                    samples.add(rate(work, chain.name()), rates.get(chain.name()));
                });
            }
            addRatios(work.toString(), "rate", rates);
        }
        Map<String, Double> p50 = new HashMap<>();
        Map<String, Double> p99 = new HashMap<>();
        for (Chain chain : turned) {
            attempt(round, chain.name() + ", " + SET_UP, () -> {
                FirstOctet.Times times = FirstOctet.run(chain.echo(), plan.run());
                p50.put(chain.name(), times.p50());
                p99.put(chain.name(), times.p99());
                samples.add(setUp(chain.name(), "p50"), times.p50());
                samples.add(setUp(chain.name(), "p99"), times.p99());
            });
        }
        addRatios(SET_UP, "p50", p50);
        addRatios(SET_UP, "p99", p99);
    }

    private void starts(int round, List<NodeStart> starts) {
        for (int i = 0; i < starts.size(); i++) {
            String name = plan.builds().get(i).name();
            NodeStart start = starts.get(i);
            attempt(round, name + ", " + START, () -> {
                NodeStart.Times times = start.run();
                samples.add(start(name, "ready", "s"), times.ready());
                samples.add(start(name, "first-stream", "ms"), times.first());
                samples.add(start(name, "hundredth-stream", "ms"), times.hundredth());
                samples.add(start(name, "first-beyond-hundredth", "ms"), times.first() - times.hundredth());
            });
        }
    }

    /** Every chain in parts of each other, of the same round. */
    private void addRatios(String load, String metric, Map<String, Double> values) {
        values.forEach((name, value) -> values.forEach((other, its) -> {
            if (!name.equals(other) && !name.equals(Chain.DIRECT)) {
                samples.add(ratio(load, name, metric, other), value / its);
            }
        }));
    }

    private void attempt(int round, String what, Runnable run) {
        progress.accept("round " + (round + 1) + " of " + plan.rounds() + ": " + what);
        attempt(what + ", round " + (round + 1), run);
    }

    private void attempt(String what, Runnable run) {
        try {
            run.run();
        } catch (LabException e) {
            failures.add(what + ": " + e.getMessage());
        }
    }

    static List<Target> targets(Samples samples) {
        List<Target> targets = new ArrayList<>();
        for (Work work : Work.values()) {
            targets.add(Target.atLeast(work.text() + ": rate of HAProxy three times", samples.median(ratio(work.toString(), NOW, "rate", Chain.HAPROXY)), OF_HAPROXY));
        }
        for (String metric : List.of("p50", "p99")) {
            targets.add(Target.atMost("first octet of a new stream: " + metric + " of HAProxy three times",
                    samples.median(ratio(SET_UP, NOW, metric, Chain.HAPROXY)), TIMES_OF_HAPROXY));
        }
        targets.add(Target.atMost("start with stored services to READY, s", samples.median(start(NOW, "ready", "s")), MAX_READY));
        targets.add(Target.atMost("first stream after READY, ms beyond the hundredth", samples.median(start(NOW, "first-beyond-hundredth", "ms")), MAX_FIRST_BEYOND));
        return targets;
    }

    private static Key rate(Work work, String name) {
        return new Key(work.toString(), name, 0, Work.AT_ONCE, "rate", "1/s");
    }

    private static Key setUp(String name, String metric) {
        return new Key(SET_UP, name, 0, 1, metric, "us");
    }

    private static Key start(String name, String metric, String unit) {
        return new Key(START, name, 0, 1, metric, unit);
    }

    private static Key ratio(String load, String name, String metric, String other) {
        return new Key(load, name, 0, 0, metric + "-of-" + other, "ratio");
    }

    /** The figures for people. */
    public void print(PrintWriter out) {
        out.printf("%n%-44s %12s %10s %13s %10s%n", "a second, medians", "", "of direct", "of haproxy-3", "of before");
        for (Work work : Work.values()) {
            for (String name : names) {
                out.printf("%-44s %12s %s%n", work.text() + ", " + name, Samples.text("%,.0f", samples.median(rate(work, name))), ratios(work.toString(), name, "rate"));
            }
        }
        out.printf("%n%-44s %12s %10s %13s %10s%n", "first octet, µs", "", "of direct", "of haproxy-3", "of before");
        for (String metric : List.of("p50", "p99")) {
            for (String name : names) {
                out.printf("%-44s %12s %s%n", metric + ", " + name, Samples.text("%,.0f", samples.median(setUp(name, metric))), ratios(SET_UP, name, metric));
            }
        }
        out.printf("%n%-44s %12s %16s %20s%n", "start with stored services", "READY, s", "first stream, ms", "hundredth stream, ms");
        for (Build build : plan.builds()) {
            out.printf("%-44s %12s %16s %20s%n", build, Samples.text("%.2f", samples.median(start(build.name(), "ready", "s"))),
                    Samples.text("%.1f", samples.median(start(build.name(), "first-stream", "ms"))), Samples.text("%.1f", samples.median(start(build.name(), "hundredth-stream", "ms"))));
        }
    }

    private String ratios(String load, String name, String metric) {
        return String.format("%10s %13s %10s", Samples.text("%.2f", samples.median(ratio(load, name, metric, Chain.DIRECT))),
                Samples.text("%.2f", samples.median(ratio(load, name, metric, Chain.HAPROXY))), Samples.text("%.2f", samples.median(ratio(load, name, metric, "before"))));
    }
}
