package org.tamanoir.benchmarks.fleet;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.fleet.simulation.LargeFleet;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.lab.LabException;

/** A repository process that leads 1,000 nodes: what a question that changes nothing costs it, and how long a generation takes to be kept. */
final class ServerOfMany extends MeasuredOutcome {
    private static final int ASKING = 8;
    private static final long MOST = 4 << 20;
    private static final double MICROS = 1e6;
    /** Of one processor, for 1,000 nodes that ask every five seconds and report every 15. */
    private static final double MOST_SHARE = 0.25;
    private static final double REQUESTS = LargeFleet.NODES / 5.0 + LargeFleet.NODES / 15.0;

    private ServerOfMany(Measurements measured) {
        super("server", measured);
    }

    static Outcome run(FleetPlan plan, Consumer<String> progress) {
        ServerOfMany server = new ServerOfMany(new Measurements(progress));
        server.measured.attemptAny("a repository with " + LargeFleet.NODES + " nodes", () -> {
            try (Workbench workbench = new Workbench()) {
                RepositoryProcess repository = RepositoryProcess.start(workbench, workbench.folder("repository"));
                server.measure(plan, repository);
            }
        });
        return server;
    }

    private void measure(FleetPlan plan, RepositoryProcess repository) {
        HttpFetch http = HttpFetch.of(repository.url(), ErrorCode.REPOSITORY_UNREACHABLE);
        LargeFleet fleet = new LargeFleet(plan.seed(), true);
        List<String> tags = new ArrayList<>();
        measured.rounds(1, plan.rounds().count(), round -> {
            ObjectNode wish = JsonNodeFactory.instance.objectNode().put("atOnce", true);
            wish.set("state", fleet.state(Math.max(0, round) + 1));
            long began = System.nanoTime();
            http.ifMatch("*").putJson("/fleet/state", wish);
            double millis = (System.nanoTime() - began) / MICROS;
            tags.clear();
            fleet.names().forEach(name -> tags.add(http.ifChanged("/fleet/nodes/" + name, null, MOST).etag()));
            double[] asked = ask(http, fleet.names(), tags, plan.rounds().run(), repository.pid());
            if (round >= 0) {
                measured.add(key("a generation of all nodes is kept", "ms"), millis);
                measured.add(key("questions that change nothing", "1/s"), asked[0]);
                measured.add(key("processor time of one", "µs"), asked[1]);
            }
        });
    }

    /** @return questions a second, and microseconds of the server's processor time for each */
    private static double[] ask(HttpFetch http, List<String> names, List<String> tags, Duration time, long pid) {
        LongAdder answered = new LongAdder();
        long end = System.nanoTime() + time.toNanos();
        ExecutorService threads = Executors.newFixedThreadPool(ASKING);
        Duration before = processorTime(pid);
        try {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < ASKING; i++) {
                int first = i;
                all.add(CompletableFuture.runAsync(() -> {
                    for (int at = first; System.nanoTime() < end; at = (at + ASKING) % names.size()) {
                        if (http.ifChanged("/fleet/nodes/" + names.get(at), tags.get(at), MOST).body().isPresent()) {
                            throw new LabException("something has changed for " + names.get(at));
                        }
                        answered.increment();
                    }
                }, threads));
            }
            all.forEach(CompletableFuture::join);
        } finally {
            threads.shutdown();
        }
        return new double[] {answered.sum() / (time.toNanos() / 1e9), processorTime(pid).minus(before).toNanos() / 1e3 / answered.sum()};
    }

    private static Duration processorTime(long pid) {
        return ProcessHandle.of(pid).flatMap(process -> process.info().totalCpuDuration()).orElseThrow(() -> new LabException("the processor time of the repository is not known"));
    }

    private static Key key(String metric, String unit) {
        return new Key("a server of many", "repository", 0, LargeFleet.NODES, metric, unit);
    }

    @Override
    public List<Target> targets() {
        Double each = samples().median(key("processor time of one", "µs"));
        return List.of(Target.atMost("of a processor, for 1,000 nodes that ask every 5 s and report every 15 s, if a report costs as much", each == null ? null : each * REQUESTS / MICROS, MOST_SHARE));
    }

    @Override
    public void print(PrintWriter out) {
        Table.printRanges(out, rows());
        out.printf("%n  %d connections ask as fast as they can, from the same machine; processor time is that of the server's process%n", ASKING);
    }
}
