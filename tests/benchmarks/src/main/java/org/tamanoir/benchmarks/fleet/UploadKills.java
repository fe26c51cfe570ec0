package org.tamanoir.benchmarks.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.PostgresServer;
import org.tamanoir.lab.Waiting;

/**
 * Two processes share a database, and four publishers push to them without a pause. By turns a process or PostgreSQL, with all its processes, gets SIGKILL at a random moment
 * of an upload, and is started again. What was acknowledged must be there, and whatever is shown must be whole.
 */
final class UploadKills extends MeasuredOutcome {
    private static final int PROCESSES = 2;
    private static final int PUBLISHERS = 4;
    private static final int PAYLOAD = 1_500_000;
    private static final int EARLIEST_MILLIS = 20;
    private static final int LATEST_MILLIS = 400;
    private static final int VERSIONS = 4_000;
    private static final int POLL_MILLIS = 20;
    private static final int LIMIT = 4 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private UploadKills(Measurements measured) {
        super("upload-kills", measured);
    }

    private static Key key(String killed, String metric, String unit) {
        return new Key(killed, "two processes", PAYLOAD, PUBLISHERS, metric, unit);
    }

    private static Key all(String metric) {
        return key("all kills", metric, "count");
    }

    static Outcome run(FleetPlan plan, Consumer<String> progress) {
        Measurements measured = new Measurements(progress);
        measured.attemptAny("two processes", () -> {
            try (Site site = new Site()) {
                Random random = new Random(plan.seed());
                for (int kill = 0; kill < plan.kills(); kill++) {
                    int number = kill;
                    if (!measured.attemptAny("kill " + (kill + 1), () -> site.kill(number, random, measured))) {
                        break;
                    }
                }
                measured.add(all("kills"), site.kills);
                measured.add(all("acknowledged"), site.acknowledged.size());
                measured.add(all("interrupted"), site.interrupted.get());
                measured.add(all("lost"), site.lost.size());
                measured.add(all("not whole"), site.broken.size());
                measured.add(all("left over"), site.leftOver());
            }
        });
        return new UploadKills(measured);
    }

    @Override
    public List<Target> targets() {
        Double interrupted = samples().median(all("interrupted"));
        return List.of(Target.atMost("versions that were acknowledged and are lost", samples().median(all("lost")), 0),
                Target.atMost("versions that are shown and not whole", samples().median(all("not whole")), 0),
                // Otherwise the kills hit nothing.
                Target.atLeast("uploads that a kill has interrupted", interrupted, 1));
    }

    /** What is killed. */
    private static final class Site implements AutoCloseable {
        private final Workbench workbench = new Workbench();
        private final RepositoryProcess[] processes = new RepositoryProcess[PROCESSES];
        private final int[] ports = new int[PROCESSES];
        private final PostgresServer postgres;
        /** Version to SHA-256. */
        private final Map<String, String> acknowledged = new ConcurrentHashMap<>();
        private final Set<String> read = new HashSet<>();
        private final Set<String> lost = new HashSet<>();
        private final Set<String> broken = new HashSet<>();
        private final AtomicInteger interrupted = new AtomicInteger();
        private final AtomicInteger versions = new AtomicInteger();
        private volatile boolean stop;
        private int kills;

        Site() throws IOException {
            String missing = PostgresServer.missing();
            if (!missing.isEmpty()) {
                throw new LabException(missing);
            }
            postgres = PostgresServer.durable("127.0.0.1");
            for (int i = 0; i < PROCESSES; i++) {
                ports[i] = FreePort.onLoopback();
                start(i);
            }
        }

        private void start(int process) {
            processes[process] = RepositoryProcess.shared(workbench, workbench.folder("cache" + process), ports[process], postgres.url());
        }

        private HttpFetch at(int process) {
            return HttpFetch.of("http://127.0.0.1:" + ports[process], ErrorCode.REPOSITORY_UNREACHABLE).timeout(TIMEOUT);
        }

        void kill(int number, Random random, Measurements measured) throws Exception {
            stop = false;
            AtomicInteger begun = new AtomicInteger();
            List<Thread> publishers = new ArrayList<>();
            for (int i = 0; i < PUBLISHERS; i++) {
                int publisher = i;
                Thread thread = new Thread(() -> publish(publisher, begun), "publisher " + i);
                thread.start();
                publishers.add(thread);
            }
            int before = acknowledged.size();
            Waiting.until(PATIENCE, POLL_MILLIS, acknowledged::size, size -> size > before, size -> "nothing is acknowledged");
            int seen = begun.get();
            Waiting.until(PATIENCE, 1, begun::get, count -> count > seen, count -> "nobody begins an upload");
            Thread.sleep(EARLIEST_MILLIS + random.nextInt(LATEST_MILLIS - EARLIEST_MILLIS));
            boolean isDatabase = number % 2 == 1;
            int process = number / 2 % PROCESSES;
            kills++;
            stop = true;
            if (isDatabase) {
                postgres.killAll();
            } else {
                processes[process].kill();
            }
            long killed = System.nanoTime();
            if (isDatabase) {
                postgres.again();
            } else {
                start(process);
            }
            for (Thread each : publishers) {
                each.join();
            }
            for (int i = 0; i < PROCESSES; i++) {
                HttpFetch at = at(i);
                Waiting.until(PATIENCE, POLL_MILLIS, () -> at.json("/health").path("database").path("state").asText(), "up"::equals, state -> "the database stays " + state);
            }
            measured.add(key(isDatabase ? "the database" : "a process", "until all is up again", "s"), (System.nanoTime() - killed) / 1e9);
            verify();
        }

        /** Pushes one version after the other until something has been killed. */
        private void publish(int publisher, AtomicInteger begun) {
            HttpFetch to = at(publisher % PROCESSES);
            try {
                Path jar = Files.createTempFile(workbench.folder("uploads"), "bundle", ".jar");
                while (!stop && versions.get() < VERSIONS) {
                    int number = versions.incrementAndGet();
                    String version = "9." + number + ".0";
                    Files.write(jar, FleetBundles.of(version, PAYLOAD, number));
                    begun.incrementAndGet();
                    acknowledged.put(version, to.put("/bundles", jar).path("sha256").asText());
                }
            } catch (AnepException e) {
                interrupted.incrementAndGet();
            } catch (IOException e) {
                throw new LabException("an upload cannot be written", e);
            }
        }

        /** Asks each process for all that was acknowledged, and reads what is new, each version from one of them. */
        private void verify() {
            for (int i = 0; i < PROCESSES; i++) {
                Map<String, String> shown = new ConcurrentHashMap<>();
                for (JsonNode each : at(i).json("/services").path("services")) {
                    shown.put(each.path("version").asText(), each.path("sha256").asText());
                }
                acknowledged.forEach((version, sha256) -> {
                    if (!sha256.equals(shown.get(version))) {
                        lost.add(version);
                    }
                });
                for (Map.Entry<String, String> each : shown.entrySet()) {
                    if (Math.floorMod(each.getKey().hashCode(), PROCESSES) == i && read.add(each.getKey()) && !isWhole(at(i), each.getValue())) {
                        broken.add(each.getKey());
                    }
                }
            }
        }

        private boolean isWhole(HttpFetch at, String sha256) {
            try {
                return at.toFile("/bundles/" + sha256 + ".jar", workbench.folder("uploads").resolve("read.jar"), LIMIT).sha256().equals(sha256);
            } catch (AnepException e) {
                return false;
            }
        }

        /** Bundles in the database that were put and never published, which a repository removes after an hour. */
        long leftOver() {
            return Long.parseLong(Command.run(List.of("psql", "-h", "127.0.0.1", "-p", Integer.toString(postgres.port()), "-U", "tester", "-tAc",
                    "SELECT count(*) FROM repository_bundle b WHERE NOT EXISTS (SELECT FROM repository_release r WHERE r.stored = b.sha256)", "postgres"), null, PATIENCE).output().strip());
        }

        @Override
        public void close() {
            stop = true;
            workbench.close();
            postgres.close();
        }
    }
}
