package org.tamanoir.benchmarks.fleet;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.process.CpuGroup;
import org.tamanoir.benchmarks.process.CpuTime.MachineTime;
import org.tamanoir.benchmarks.process.NginxServer;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.PostgresServer;

/**
 * Bundles a second that clients get of one process and of three, which share a database and have each its cache. On a machine with few processors three processes get in each
 * other's way and in that of the clients, so each is held to the same share of one: then what three do more is theirs. Without the share the machine is the limit, and how
 * little of it was idle says so.
 */
final class Pulls extends MeasuredOutcome {
    private static final String FREE = "the whole machine";
    private static final int PROCESSES = 3;
    /** Of each server. */
    private static final int CLIENTS = 12;
    private static final int PAYLOAD = 100_000;
    private static final double MORE_BY_THREE = 2.5;
    private static final Duration WARM_UP = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** Who serves. */
    private enum Server {
        ONE("one process"), THREE("three processes"), NGINX("nginx");

        private final String text;

        Server(String text) {
            this.text = text;
        }
    }

    private final String held;

    private Pulls(Measurements measured, String held) {
        super("pulls", measured);
        this.held = held;
    }

    private static Key key(String benchCase, Server server, String metric, String unit) {
        return new Key(benchCase, server.text, PAYLOAD, CLIENTS, metric, unit);
    }

    private static String held(FleetPlan plan) {
        return "%.2f processors each".formatted(plan.share());
    }

    static Outcome run(FleetPlan plan, Consumer<String> progress) {
        Measurements measured = new Measurements(progress);
        measured.attemptAny("three processes and nginx", () -> {
            try (Site site = new Site()) {
                measured.rounds(0, plan.rounds().count(), round -> {
                    for (Server each : Measurements.turned(List.of(Server.values()), round)) {
                        site.limit(plan.share());
                        measured.attemptAny(Measurements.name(round) + ", " + each.text + ", held", () -> site.measure(measured, held(plan), each, plan));
                        site.unlimited();
                        measured.attemptAny(Measurements.name(round) + ", " + each.text, () -> site.measure(measured, FREE, each, plan));
                    }
                });
            }
        });
        return new Pulls(measured, held(plan));
    }

    @Override
    public List<Target> targets() {
        return List.of(Target.atLeast("pulls of three processes by those of one, each with the same share", ratio(held, Server.THREE, Server.ONE), MORE_BY_THREE));
    }

    /** Of the medians. */
    private Double ratio(String benchCase, Server more, Server less) {
        Double of = samples().median(key(benchCase, more, "pulls", "1/s"));
        Double by = samples().median(key(benchCase, less, "pulls", "1/s"));
        return of == null || by == null ? null : of / by;
    }

    @Override
    public void print(PrintWriter out) {
        super.print(out);
        out.println();
        for (String benchCase : samples().rows().stream().map(row -> row.benchCase()).distinct().toList()) {
            out.printf("%s: three by one %s, one by nginx %s, idle with three %s%n", benchCase, Samples.text("%.2f", ratio(benchCase, Server.THREE, Server.ONE)),
                    Samples.text("%.2f", ratio(benchCase, Server.ONE, Server.NGINX)), Samples.text("%.0f %%", samples().median(key(benchCase, Server.THREE, "idle", "%"))));
        }
        out.println("Clients run on the same processors. Where nothing is idle, the machine is the limit and not the processes.");
    }

    /** What is measured, on loopback. */
    private static final class Site implements AutoCloseable {
        private final Workbench workbench = new Workbench();
        private final List<CpuGroup> groups = new ArrayList<>();
        private final List<URI> processes = new ArrayList<>();
        private final PostgresServer postgres;
        private final URI nginx;
        private final int size;

        Site() throws IOException, InterruptedException {
            String missing = PostgresServer.missing();
            if (!missing.isEmpty()) {
                throw new LabException(missing);
            }
            postgres = new PostgresServer("127.0.0.1");
            try {
                byte[] bundle = FleetBundles.of("9.0.0", PAYLOAD, 1);
                size = bundle.length;
                Path jar = Files.write(workbench.folder("").resolve("bundle.jar"), bundle);
                String path = null;
                for (int i = 0; i < PROCESSES; i++) {
                    RepositoryProcess process = RepositoryProcess.shared(workbench, workbench.folder("cache" + i), 0, postgres.url());
                    if (i == 0) {
                        path = "/bundles/" + process.put(jar).path("sha256").asText() + ".jar";
                    }
                    processes.add(URI.create(process.url() + path));
                    group(process.pid());
                }
                nginx = nginx(jar);
                for (URI each : all()) {
                    awaitServed(each);
                    // Compiled, and the bundle in the cache.
                    PullLoad.run(List.of(each), CLIENTS, size, WARM_UP);
                }
            } catch (IOException | RuntimeException | InterruptedException e) {
                close();
                throw e;
            }
        }

        private List<URI> all() {
            List<URI> all = new ArrayList<>(processes);
            all.add(nginx);
            return all;
        }

        private void group(long pid) {
            CpuGroup group = CpuGroup.open();
            groups.add(group);
            group.add(pid);
        }

        private URI nginx(Path jar) throws IOException {
            int port = FreePort.onLoopback();
            long pid = NginxServer.start(workbench, workbench.folder("nginx"), 1, "sendfile on; server { listen 127.0.0.1:%d; root %s; }".formatted(port, jar.getParent())).pid();
            group(pid);
            // Its worker was there before.
            ProcessHandle.of(pid).stream().flatMap(ProcessHandle::descendants).forEach(worker -> groups.get(groups.size() - 1).add(worker.pid()));
            return URI.create("http://127.0.0.1:" + port + "/" + jar.getFileName());
        }

        private void awaitServed(URI url) throws IOException, InterruptedException {
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (true) {
                try {
                    PullLoad.run(List.of(url), 1, size, Duration.ofMillis(200));
                    return;
                } catch (IOException e) {
                    if (System.nanoTime() > end) {
                        throw e;
                    }
                    Thread.sleep(100);
                }
            }
        }

        void limit(double share) {
            groups.forEach(group -> group.limit(share));
        }

        void unlimited() {
            groups.forEach(CpuGroup::unlimited);
        }

        void measure(Measurements measured, String benchCase, Server server, FleetPlan plan) throws IOException, InterruptedException {
            List<URI> urls = switch (server) {
                case ONE -> processes.subList(0, 1);
                case THREE -> processes;
                case NGINX -> List.of(nginx);
            };
            MachineTime before = MachineTime.now();
            double pulls = PullLoad.run(urls, CLIENTS * urls.size(), size, plan.rounds().run());
            measured.add(key(benchCase, server, "pulls", "1/s"), pulls);
            measured.add(key(benchCase, server, "octets", "MB/s"), pulls * size / 1e6);
            measured.add(key(benchCase, server, "idle", "%"), 100 * MachineTime.now().idleSince(before));
        }

        @Override
        public void close() {
            workbench.close();
            groups.forEach(CpuGroup::close);
            if (postgres != null) {
                postgres.close();
            }
        }
    }
}
