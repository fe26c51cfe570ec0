package org.tamanoir.benchmarks.compression;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.load.StreamKind;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.LabException;

/**
 * Sends the same octets through a codec in a pipe, through two nodes at the codec's level, through two nodes whose level follows the link, and
 * through two that do not compress: in turn, in an order that changes with the round.
 */
public final class CompressionBench {
    /** What a bench is asked for. @param packet octets, header included @param megaoctets of each kind of data */
    public record Plan(int rounds, int packet, int megaoctets) {
        /** @throws IllegalArgumentException that says which figure cannot be run */
        public void check() {
            if (rounds < 1 || packet < 64 || packet > 0xFFFF || megaoctets < 1 || megaoctets > 250) {
                throw new IllegalArgumentException("give at least one round, packets of 64 to 65535 octets and 1 to 250 MB");
            }
        }
    }

    private static final String PLAIN = "plain";
    private static final String MODULES = "modules";
    private static final String NOISE = "noise";
    /** A file of the JDK, and what no codec makes smaller. */
    private static final List<String> DATA = List.of(MODULES, NOISE);
    private static final double OF_PIPE = 0.95;
    /** What two runs of the same thing differ by on a machine that does other work too. */
    private static final double OF_PLAIN = 0.95;
    private static final int WARM_UPS = 3;
    private static final Map<String, String> COMPARED = new TreeMap<>(
            Map.of("zstd-node", "zstd-pipe", "gzip-node", "gzip-pipe", "zstd-follows", PLAIN));

    private final Plan plan;
    private final Measurements measured;
    private final Map<String, Relay> relays = new LinkedHashMap<>();

    public CompressionBench(Plan plan, Consumer<String> progress) {
        this.plan = plan;
        this.measured = new Measurements(progress);
    }

    /** @throws LabException if a program is missing or does not start */
    public Report run() {
        DebianPackages.require("zstd", "zstd");
        measured.machine().put("placement",
                "both ends of the compressed path, sender and receiver on the same CPUs, all that this program may use");
        measured.machine().put("cpu", "of both programs of a pipe, or of both nodes");
        try (Workbench workbench = new Workbench()) {
            start(workbench);
            for (String data : DATA) {
                byte[] octets = data(data);
                Path file = Files.write(workbench.folder("data").resolve(data), octets);
                FileStream stream = new FileStream(octets, plan.packet());
                measured.rounds(WARM_UPS, plan.rounds(), round -> round(round, data, file, stream));
            }
        } catch (IOException e) {
            throw new LabException("the data: " + e.getMessage(), e);
        }
        return measured.report(targets(measured.samples(), plan));
    }

    private byte[] data(String name) throws IOException {
        byte[] octets = new byte[plan.megaoctets() * 1_000_000];
        if (name.equals(NOISE)) {
            new Random(1).nextBytes(octets);
            return octets;
        }
        try (var in = Files.newInputStream(Path.of(System.getProperty("java.home"), "lib", name))) {
            for (int at = in.readNBytes(octets, 0, octets.length); at < octets.length; at = Math.min(octets.length, 2 * at)) {
                System.arraycopy(octets, 0, octets, at, Math.min(at, octets.length - at));
            }
        }
        return octets;
    }

    private void start(Workbench workbench) throws IOException {
        RepositoryProcess repository = RepositoryProcess.start(workbench, workbench.folder("repository"));
        List.of("monitoring", "compression").forEach(repository::push);
        relays.put("zstd-pipe", Relay.pipe("zstd -q -T1 -3 -c", "zstd -q -dc"));
        relays.put("zstd-node", Relay.nodes(workbench, repository, "zstd", StreamKind.COMPRESSION, "level: 3"));
        relays.put("gzip-pipe", Relay.pipe("gzip -6 -c", "gzip -dc"));
        relays.put("gzip-node", Relay.nodes(workbench, repository, "gzip", StreamKind.COMPRESSION, "algorithm: gzip", "level: 6"));
        relays.put("zstd-follows", Relay.nodes(workbench, repository, "follows", StreamKind.COMPRESSION));
        relays.put(PLAIN, Relay.nodes(workbench, repository, PLAIN, StreamKind.MONITORING));
    }

    private void round(int round, String data, Path file, FileStream stream) {
        Map<String, Relay.Cost> costs = new LinkedHashMap<>();
        for (String name : Measurements.turned(List.copyOf(relays.keySet()), round)) {
            measured.attempt(Measurements.name(round) + ": " + data + ", " + name, () -> costs.put(name, relays.get(name).run(file, stream)));
        }
        costs.forEach((name, cost) -> {
            measured.add(key(plan, data, name, "rate", "MB/s"), stream.length() / 1e6 / cost.seconds());
            measured.add(key(plan, data, name, "cpu", "s/GB"), cost.cpu() * 1e9 / stream.length());
        });
        COMPARED.forEach((name, other) -> {
            if (costs.containsKey(name) && costs.containsKey(other)) {
                measured.add(ratio(plan, data, name, other), costs.get(other).seconds() / costs.get(name).seconds());
            }
        });
    }

    private static Key key(Plan plan, String data, String name, String metric, String unit) {
        return new Key(data, name, plan.packet(), 1, metric, unit);
    }

    private static Key ratio(Plan plan, String data, String name, String other) {
        return key(plan, data, name, "rate-of-" + other, "ratio");
    }

    static List<Target> targets(Samples samples, Plan plan) {
        List<Target> targets = new ArrayList<>();
        for (String codec : List.of("zstd", "gzip")) {
            targets.add(Target.atLeast(codec + ": rate of the codec in a pipe",
                    samples.median(ratio(plan, MODULES, codec + "-node", codec + "-pipe")), OF_PIPE));
        }
        for (String data : DATA) {
            targets.add(Target.atLeast(data + ": rate of no compression, with a level that follows the link",
                    samples.median(ratio(plan, data, "zstd-follows", PLAIN)), OF_PLAIN));
        }
        return targets;
    }

    /** The figures for people. */
    public void print(PrintWriter out) {
        List<Key> rates = DATA.stream().flatMap(data -> relays.keySet().stream().map(name -> key(plan, data, name, "rate", "MB/s"))).toList();
        new Table<Key>("medians", rate -> rate.benchCase() + ", " + rate.system())
                .median("MB/s", "%.0f", measured.samples(), rate -> rate)
                .median("CPU s a GB", "%.2f", measured.samples(), rate -> key(plan, rate.benchCase(), rate.system(), "cpu", "s/GB"))
                .print(out, rates);
    }
}
