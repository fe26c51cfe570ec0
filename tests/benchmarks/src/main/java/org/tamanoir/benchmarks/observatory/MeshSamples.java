package org.tamanoir.benchmarks.observatory;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.tamanoir.observatory.live.Observatory;
import org.tamanoir.paths.plan.Measurement.Kind;
import org.tamanoir.paths.wire.Registration;
import org.tamanoir.paths.wire.SampleLine;

/** What the theodolites of a mesh find, line by line as they send it. The numbers are drawn; their names and lengths are those of real ones. */
final class MeshSamples {
    /** What a server calls those who ask on loopback. */
    private static final String IDENTITY = "this machine";

    private final Random random;
    private final int domains;
    private final long boot;
    private final long[] numbers;

    /** @param boot of all theodolites: those with the same have the same numbers */
    MeshSamples(long seed, int domains, long boot) {
        this.boot = boot;
        this.random = new Random(seed);
        this.domains = domains;
        this.numbers = new long[domains];
    }

    int domains() {
        return domains;
    }

    /** Makes the mesh known to an observatory. */
    void join(Observatory observatory) {
        for (int i = 0; i < domains; i++) {
            observatory.register("t" + i, IDENTITY, new Registration("t" + i, Mesh.host(i) + ":3322", Mesh.host(i) + ":862", "theodolite 0.1.0", null));
        }
    }

    /** One request of a theodolite: a line for each path to the others. */
    String request(int theodolite, Kind kind, long time) {
        StringBuilder lines = new StringBuilder();
        for (int to = 0; to < domains; to++) {
            if (to != theodolite) {
                lines.append(line(theodolite, to, kind, time)).append('\n');
            }
        }
        return lines.toString();
    }

    /** One line. */
    String line(int from, int to, Kind kind, long time) {
        String task = kind == Kind.THROUGHPUT ? "flow" : "ping";
        return new SampleLine("t" + from, boot, ++numbers[from], task + "/be/t" + from + "/t" + to, kind, time, kind == Kind.THROUGHPUT ? flow() : pings(1 + (from * 31 + to) % 40)).json();
    }

    private Map<String, Double> pings(double base) {
        double lost = random.nextInt(50) == 0 ? 1 + random.nextInt(3) : 0;
        Map<String, Double> values = new LinkedHashMap<>();
        values.put("sent", 100.0);
        values.put("received", 100 - lost);
        values.put("loss", lost / 100);
        values.put("rtt-min", micros(base));
        values.put("rtt-median", micros(base * (1 + 0.05 * random.nextDouble())));
        values.put("rtt-p95", micros(base * (1.1 + 0.2 * random.nextDouble())));
        values.put("rtt-max", micros(base * (1.4 + random.nextDouble())));
        values.put("jitter", micros(0.1 * random.nextDouble()));
        return values;
    }

    private Map<String, Double> flow() {
        double mbits = 400 + 500 * random.nextDouble();
        Map<String, Double> values = new LinkedHashMap<>();
        values.put("octets", Math.rint(mbits * 1e6 / 8 * 10));
        values.put("seconds", micros(10 + 0.01 * random.nextDouble()));
        values.put("mbits", micros(mbits));
        values.put("steady-mbits", micros(mbits * 1.02));
        values.put("streams", 4.0);
        values.put("retransmissions", (double) random.nextInt(20));
        return values;
    }

    private static double micros(double value) {
        return Math.rint(value * 1000) / 1000;
    }

    static String identity() {
        return IDENTITY;
    }
}
