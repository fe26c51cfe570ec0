package org.tamanoir.benchmarks.observatory;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.LabException;
import org.tamanoir.observatory.ObservatoryServer;
import org.tamanoir.observatory.ObservatorySettings;
import org.tamanoir.paths.plan.Measurement.Kind;
import org.tamanoir.paths.wire.SampleAnswer;

/**
 * Samples a second that a server acknowledges, over HTTP, on either database, beside what the disk of the same folder does: one write and one sync for each request.
 */
final class IntakeRate extends MeasuredOutcome {
    private static final List<Integer> SIZES = List.of(4, 200, 2000);
    private static final int CLIENTS = 8;
    private static final int BLOCK = 4096;
    private static final String LIMIT = "the disk";
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final List<String> SYSTEMS = List.of(Stores.SQLITE, Stores.POSTGRESQL, LIMIT);

    private final ObservatoryPlan plan;

    private IntakeRate(ObservatoryPlan plan, Measurements measured) {
        super("intake", measured);
        this.plan = plan;
    }

    static Outcome run(ObservatoryPlan plan, Consumer<String> progress) {
        IntakeRate intake = new IntakeRate(plan, new Measurements(progress));
        try (Stores stores = new Stores(); ObservatoryServer sqlite = stores.serve(Stores.SQLITE, ObservatorySettings.KEEP);
                ObservatoryServer postgres = stores.serve(Stores.POSTGRESQL, ObservatorySettings.KEEP)) {
            MeshSamples ofSqlite = new MeshSamples(plan.seed(), CLIENTS + 1, 1);
            MeshSamples ofPostgres = new MeshSamples(plan.seed(), CLIENTS + 1, 1);
            ofSqlite.join(sqlite.observatory());
            ofPostgres.join(postgres.observatory());
            intake.measured.rounds(1, plan.rounds(), round -> {
                for (int size : SIZES) {
                    for (String system : Measurements.turned(SYSTEMS, round + 1)) {
                        intake.measured.attemptAny(system + ", " + size + " a request, " + Measurements.name(round), () -> {
                            double requests = system.equals(LIMIT) ? intake.syncs(stores.folder("limit"), size)
                                    : intake.requests(system.equals(Stores.SQLITE) ? sqlite : postgres, system.equals(Stores.SQLITE) ? ofSqlite : ofPostgres, size);
                            intake.measured.add(key(system, size, "requests", "1/s"), requests);
                            intake.measured.add(key(system, size, "samples", "1/s"), requests * size);
                        });
                    }
                }
            });
        }
        return intake;
    }

    /** Requests a second, of several theodolites at once, each of which waits for its answer. */
    private double requests(ObservatoryServer server, MeshSamples samples, int size) throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try {
            long end = System.nanoTime() + (long) (plan.seconds() * 1e9);
            List<Future<Integer>> all = new ArrayList<>();
            long began = System.nanoTime();
            for (int i = 0; i < CLIENTS; i++) {
                int theodolite = i;
                all.add(clients.submit(() -> client(server.url(), samples, theodolite, size, end)));
            }
            int count = 0;
            for (Future<Integer> each : all) {
                count += each.get();
            }
            return count / ((System.nanoTime() - began) / 1e9);
        } finally {
            clients.shutdown();
        }
    }

    private static int client(String url, MeshSamples samples, int theodolite, int size, long end) throws IOException, InterruptedException {
        HttpClient http = HttpClient.newHttpClient();
        int count = 0;
        while (System.nanoTime() < end) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/v1/samples")).timeout(PATIENCE).POST(BodyPublishers.ofString(body(samples, theodolite, size))).build();
            var response = http.send(request, BodyHandlers.ofString());
            if (response.statusCode() != 200 || SampleAnswer.parse(response.body()).kept() != size) {
                throw new LabException("a request of " + size + " samples is answered with " + response.statusCode() + ": " + response.body());
            }
            count++;
        }
        return count;
    }

    /** Made while it counts: a theodolite writes its lines, too. Each has its own numbers, and nothing else is shared. */
    private static String body(MeshSamples samples, int theodolite, int size) {
        StringBuilder lines = new StringBuilder();
        long now = System.currentTimeMillis();
        for (int i = 0; i < size; i++) {
            lines.append(samples.line(theodolite, (theodolite + 1 + i % CLIENTS) % (CLIENTS + 1), Kind.ROUND_TRIP, now)).append('\n');
        }
        return lines.toString();
    }

    /** Writes and syncs a second: each of what the lines of a request have, in whole blocks. */
    private double syncs(Path folder, int size) throws IOException {
        int octets = (new MeshSamples(plan.seed(), 2, 1).line(0, 1, Kind.ROUND_TRIP, 0).length() * size / BLOCK + 1) * BLOCK;
        ByteBuffer block = ByteBuffer.allocateDirect(octets);
        try (FileChannel file = FileChannel.open(folder.resolve("syncs"), StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            long began = System.nanoTime();
            long end = began + (long) (plan.seconds() * 1e9);
            int count = 0;
            while (System.nanoTime() < end) {
                file.write(block.clear());
                file.force(false);
                count++;
            }
            return count / ((System.nanoTime() - began) / 1e9);
        }
    }

    private static Key key(String system, int size, String metric, String unit) {
        return new Key("intake, " + size + " samples a request", system, 0, system.equals(LIMIT) ? 1 : CLIENTS, metric, unit);
    }

    @Override
    public List<Target> targets() {
        double needed = new Mesh(plan.domains()).requests();
        return List.of(Stores.SQLITE, Stores.POSTGRESQL).stream()
                .map(each -> Target.atLeast(each + ": requests of " + SIZES.get(0) + " samples a second, for all that " + plan.domains() + " domains ask",
                        samples().median(key(each, SIZES.get(0), "requests", "1/s")), needed)).toList();
    }

    @Override
    public void print(PrintWriter out) {
        Table.printCases(out, rows());
        out.printf("%n  %d theodolites over HTTP, one request at a time each; %s: one write of as many octets and one sync after the other%n", CLIENTS, LIMIT);
    }
}
