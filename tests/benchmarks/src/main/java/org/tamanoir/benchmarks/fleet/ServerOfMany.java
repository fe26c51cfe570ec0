package org.tamanoir.benchmarks.fleet;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
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
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.PostgresServer;

/**
 * A repository process that leads 1,000 nodes, from its directory and from PostgreSQL: what a question that changes nothing costs it, what a report does, and how long a
 * generation takes to be kept.
 */
final class ServerOfMany extends MeasuredOutcome {
    private static final int ASKING = 8;
    private static final long MOST = 4 << 20;
    private static final double MICROS = 1e6;
    /** Of one processor, for 1,000 nodes that ask every five seconds and report every 15. */
    private static final double MOST_SHARE = 0.25;
    private static final double QUESTIONS = LargeFleet.NODES / 5.0;
    private static final double REPORTS = LargeFleet.NODES / 15.0;
    private static final String DIRECTORY = "directory";
    private static final String DATABASE = "PostgreSQL";
    private static final Map<String, Object> REPORT = Map.of("generation", 1, "sha256", "of another part", "health", Map.of("status", "ok"), "version", "0.1.0");

    private ServerOfMany(Measurements measured) {
        super("server", measured);
    }

    static Outcome run(FleetPlan plan, Consumer<String> progress) {
        ServerOfMany server = new ServerOfMany(new Measurements(progress));
        server.measured.attemptAny(DIRECTORY, () -> {
            try (Workbench workbench = new Workbench()) {
                server.measure(DIRECTORY, plan, RepositoryProcess.start(workbench, workbench.folder("repository")));
            }
        });
        server.measured.attemptAny(DATABASE, () -> {
            String missing = PostgresServer.missing();
            if (!missing.isEmpty()) {
                throw new LabException(missing);
            }
            try (PostgresServer postgres = PostgresServer.durable("127.0.0.1"); Workbench workbench = new Workbench()) {
                server.measure(DATABASE, plan, RepositoryProcess.shared(workbench, workbench.folder("cache"), FreePort.onLoopback(), postgres.url()));
            }
        });
        return server;
    }

    private void measure(String subject, FleetPlan plan, RepositoryProcess repository) {
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
            double[] asked = load(fleet.names().size(), plan.rounds().run(), repository.pid(), at -> {
                if (http.ifChanged("/fleet/nodes/" + fleet.names().get(at), tags.get(at), MOST).body().isPresent()) {
                    throw new LabException("something has changed for " + fleet.names().get(at));
                }
            });
            double[] reported = load(fleet.names().size(), plan.rounds().run(), repository.pid(), at -> http.post("/fleet/nodes/" + fleet.names().get(at) + "/report", REPORT));
            if (round >= 0) {
                measured.add(key(subject, "a generation of all nodes is kept", "ms"), millis);
                measured.add(key(subject, "questions that change nothing", "1/s"), asked[0]);
                measured.add(key(subject, "processor time of one", "µs"), asked[1]);
                measured.add(key(subject, "reports", "1/s"), reported[0]);
                measured.add(key(subject, "processor time of a report", "µs"), reported[1]);
            }
        });
    }

    /** @return requests a second, and microseconds of the server's processor time for each */
    private static double[] load(int nodes, Duration time, long pid, IntConsumer request) {
        LongAdder answered = new LongAdder();
        long end = System.nanoTime() + time.toNanos();
        ExecutorService threads = Executors.newFixedThreadPool(ASKING);
        Duration before = processorTime(pid);
        try {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < ASKING; i++) {
                int first = i;
                all.add(CompletableFuture.runAsync(() -> {
                    for (int at = first; System.nanoTime() < end; at = (at + ASKING) % nodes) {
                        request.accept(at);
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

    private static Key key(String subject, String metric, String unit) {
        return new Key("a server of many", subject, 0, LargeFleet.NODES, metric, unit);
    }

    @Override
    public List<Target> targets() {
        return List.of(share(DIRECTORY), share(DATABASE));
    }

    private Target share(String subject) {
        Double question = samples().median(key(subject, "processor time of one", "µs"));
        Double report = samples().median(key(subject, "processor time of a report", "µs"));
        return Target.atMost("of a processor, for 1,000 nodes that ask every 5 s and report every 15 s: " + subject, question == null || report == null ? null
                : (question * QUESTIONS + report * REPORTS) / MICROS, MOST_SHARE);
    }

    @Override
    public void print(PrintWriter out) {
        Table.printRanges(out, rows());
        out.printf("%n  %d connections ask as fast as they can, from the same machine; processor time is that of the server's process, without PostgreSQL's%n", ASKING);
    }
}
