package org.tamanoir.benchmarks.compression;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.report.Machine;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
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

    private static final int MONITORING = 0x5402;
    private static final int COMPRESSION = 0x5403;
    private static final String PLAIN = "plain";
    private static final String MODULES = "modules";
    private static final String NOISE = "noise";
    /** A file of the JDK, and what no codec makes smaller. */
    private static final List<String> DATA = List.of(MODULES, NOISE);
    private static final double OF_PIPE = 0.95;
    /** What two runs of the same thing differ by on a machine that does other work too. */
    private static final double OF_PLAIN = 0.95;
    private static final int WARM_UPS = 3;

    private final Plan plan;
    private final Consumer<String> progress;
    private final Samples samples = new Samples();
    private final List<String> failures = new ArrayList<>();
    private final Map<String, Relay> relays = new LinkedHashMap<>();

    public CompressionBench(Plan plan, Consumer<String> progress) {
        this.plan = plan;
        this.progress = progress;
    }

    /** @throws LabException if a program is missing or does not start */
    public Report run() {
        DebianPackages.require("zstd", "zstd");
        Map<String, String> machine = Machine.describe();
        machine.put("placement", "both ends of the compressed path, sender and receiver on the same CPUs, all that this program may use");
        machine.put("cpu", "of both programs of a pipe, or of both nodes");
        try (Workbench workbench = new Workbench()) {
            start(workbench);
            for (String data : DATA) {
                byte[] octets = data(data);
                Path file = Files.write(workbench.folder("data").resolve(data), octets);
                FileStream stream = new FileStream(octets, plan.packet());
                for (int round = -WARM_UPS; round < plan.rounds(); round++) {
                    round(round, data, file, stream);
                }
            }
        } catch (IOException e) {
            throw new LabException("the data: " + e.getMessage(), e);
        }
        return new Report(machine, samples.rows(), targets(samples, plan), List.copyOf(failures));
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

    private void start(Workbench workbench) {
        RepositoryProcess repository = RepositoryProcess.start(workbench, workbench.folder("repository"));
        List.of("monitoring", "compression").forEach(repository::push);
        relays.put("zstd-pipe", Relay.pipe("zstd -q -T1 -3 -c", "zstd -q -dc"));
        relays.put("zstd-node", Relay.nodes(workbench, repository, "zstd", COMPRESSION, List.of("level: 3")));
        relays.put("gzip-pipe", Relay.pipe("gzip -6 -c", "gzip -dc"));
        relays.put("gzip-node", Relay.nodes(workbench, repository, "gzip", COMPRESSION, List.of("algorithm: gzip", "level: 6")));
        relays.put("zstd-follows", Relay.nodes(workbench, repository, "follows", COMPRESSION, List.of()));
        relays.put(PLAIN, Relay.nodes(workbench, repository, PLAIN, MONITORING, List.of()));
    }

    private void round(int round, String data, Path file, FileStream stream) {
        List<String> order = new ArrayList<>(relays.keySet());
        Collections.rotate(order, -round);
        Map<String, Relay.Cost> costs = new LinkedHashMap<>();
        for (String name : order) {
            progress.accept((round < 0 ? "warm-up" : "round " + (round + 1) + " of " + plan.rounds()) + ": " + data + ", " + name);
            try {
                costs.put(name, relays.get(name).run(file, stream));
            } catch (LabException e) {
                failures.add(data + ", " + name + ": " + e.getMessage());
            }
        }
        if (round < 0) {
            return;
        }
        double octets = stream.length();
        costs.forEach((name, cost) -> {
            samples.add(key(plan, data, name, "rate", "MB/s"), octets / 1e6 / cost.seconds());
            samples.add(key(plan, data, name, "cpu", "s/GB"), cost.cpu() * 1e9 / octets);
        });
        compare(costs, data, "zstd-node", "zstd-pipe");
        compare(costs, data, "gzip-node", "gzip-pipe");
        compare(costs, data, "zstd-follows", PLAIN);
    }

    private void compare(Map<String, Relay.Cost> costs, String data, String name, String other) {
        if (costs.containsKey(name) && costs.containsKey(other)) {
            samples.add(key(plan, data, name, "rate-of-" + other, "ratio"), costs.get(other).seconds() / costs.get(name).seconds());
        }
    }

    private static Key key(Plan plan, String data, String name, String metric, String unit) {
        return new Key(data, name, plan.packet(), 1, metric, unit);
    }

    static List<Target> targets(Samples samples, Plan plan) {
        List<Target> targets = new ArrayList<>();
        for (String codec : List.of("zstd", "gzip")) {
            targets.add(Target.atLeast(codec + ": rate of the codec in a pipe",
                    samples.median(key(plan, MODULES, codec + "-node", "rate-of-" + codec + "-pipe", "ratio")), OF_PIPE));
        }
        for (String data : DATA) {
            targets.add(Target.atLeast(data + ": rate of no compression, with a level that follows the link",
                    samples.median(key(plan, data, "zstd-follows", "rate-of-" + PLAIN, "ratio")), OF_PLAIN));
        }
        return targets;
    }

    /** The figures for people. */
    public void print(PrintWriter out) {
        out.printf("%n%-28s %10s %12s%n", "medians", "MB/s", "CPU s a GB");
        for (String data : DATA) {
            for (String name : relays.keySet()) {
                out.printf("%-28s %10.0f %12.2f%n", data + ", " + name, samples.median(key(plan, data, name, "rate", "MB/s")),
                        samples.median(key(plan, data, name, "cpu", "s/GB")));
            }
        }
    }
}
