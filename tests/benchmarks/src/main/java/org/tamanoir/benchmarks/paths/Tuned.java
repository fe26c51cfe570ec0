package org.tamanoir.benchmarks.paths;

import java.io.PrintWriter;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.tamanoir.benchmarks.plot.Chart.Series;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;

/**
 * What shaping where a long path begins does to the times that transfers take (arXiv 2603.12660), and what others keep beside it: the preset {@code wan} with a
 * pacing rate against CUBIC without, and against BBR without a rate, whose part is seen so. Transfers of the three ways come in turn, while flows of others come and go.
 */
final class Tuned extends MeasuredOutcome {
    private static final int TRANSFERS = 30;
    private static final int QUICK = 6;
    private static final int OCTETS = 4_000_000;
    private static final double WARM_SECONDS = 3;
    private static final String TIMES = "transfer with cross traffic";
    private static final String KEPT = "beside a stream";
    private static final String NOBODY = "nothing";

    /** How streams are treated. */
    enum Way {
        SHAPED("wan-paced", "preset: wan, pacing: 16M", "#1b7837"), CUBIC("cubic", "congestion: cubic", "#b2182b"), BBR("bbr", "congestion: bbr", "#2166ac");

        private final String system;
        private final String rule;
        private final String colour;

        Way(String system, String rule, String colour) {
            this.system = system;
            this.rule = rule;
            this.colour = colour;
        }

        private int address() {
            return ordinal() + 1;
        }

        private Key seconds() {
            return new Key(TIMES, system, 0, 1, "completion", "s");
        }
    }

    private Tuned(Measurements measured) {
        super("tune", measured);
    }

    private static Key kept(String system, String flow) {
        return new Key(KEPT, system, 0, 1, flow + " keeps", "Mbit/s");
    }

    static Outcome run(PathsPlan plan, Consumer<String> progress) {
        Measurements measured = new Measurements(progress);
        Map<Integer, String> rules = new LinkedHashMap<>();
        for (Way way : Way.values()) {
            rules.put(way.address(), way.rule);
        }
        measured.attemptAny("a node at the entry of a long path", () -> {
            try (TuneLab lab = new TuneLab(rules)) {
                String refused = lab.refused();
                if (!refused.isEmpty()) {
                    measured.failed(refused);
                    return;
                }
                transfers(lab, plan, measured);
                measured.rounds(0, plan.rounds().count(), round -> friendliness(lab, plan, round, measured));
            }
        });
        return new Tuned(measured);
    }

    private static void transfers(TuneLab lab, PathsPlan plan, Measurements measured) throws Exception {
        AutoCloseable others = lab.crossTraffic(plan.seed());
        try {
            for (int i = 0; i < (plan.quick() ? QUICK : TRANSFERS); i++) {
                for (Way way : Measurements.turned(List.of(Way.values()), i)) {
                    measured.attemptAny("transfer " + (i + 1) + ", " + way.system, () -> measured.add(way.seconds(), lab.transfer(way.address(), OCTETS)));
                }
            }
        } finally {
            others.close();
        }
    }

    private static void friendliness(TuneLab lab, PathsPlan plan, int round, Measurements measured) {
        List<String> systems = Stream.concat(Stream.of(NOBODY), Stream.of(Way.values()).map(way -> way.system)).toList();
        for (String system : Measurements.turned(systems, round)) {
            int treatment = Stream.of(Way.values()).filter(way -> way.system.equals(system)).mapToInt(Way::address).findFirst().orElse(0);
            measured.attemptAny(Measurements.name(round) + ", a CUBIC and a Reno flow beside " + system, () -> {
                TuneLab.Kept kept = lab.beside(treatment, WARM_SECONDS, plan.rounds().seconds());
                measured.add(kept(system, "cubic"), kept.cubic() / 1e6);
                measured.add(kept(system, "reno"), kept.reno() / 1e6);
            });
        }
    }

    /** The part of the values that are at most the answer; null if there are none. */
    private Double percentile(Way way, double part) {
        List<Double> sorted = samples().of(way.seconds()).stream().sorted(Comparator.naturalOrder()).toList();
        return sorted.isEmpty() ? null : sorted.get((int) Math.ceil(part * sorted.size()) - 1);
    }

    private Double spread(Way way) {
        Double p50 = percentile(way, 0.5);
        return p50 == null ? null : percentile(way, 0.95) / p50;
    }

    @Override
    public List<Target> targets() {
        Double shaped = spread(Way.SHAPED);
        Double cubic = spread(Way.CUBIC);
        return List.of(Target.atMost("p95/p50 of completion times with shaping, of that of CUBIC", shaped == null || cubic == null ? null : shaped / cubic, 1));
    }

    @Override
    public void print(PrintWriter out) {
        super.print(out);
        for (Way way : Way.values()) {
            if (spread(way) != null) {
                out.printf(Locale.ROOT, "%-10s p50 %.2f s, p95 %.2f s, p95/p50 %.2f (%d transfers of %d octets, %s)%n", way.system, percentile(way, 0.5), percentile(way, 0.95), spread(way),
                        samples().of(way.seconds()).size(), OCTETS, way.rule);
            }
        }
    }

    @Override
    public Map<String, String> csv() {
        StringBuilder times = new StringBuilder("transfer,system,seconds\r\n");
        for (Way way : Way.values()) {
            List<Double> seconds = samples().of(way.seconds());
            for (int i = 0; i < seconds.size(); i++) {
                times.append(i + 1).append(',').append(way.system).append(',').append(seconds.get(i)).append("\r\n");
            }
        }
        Map<String, String> all = new LinkedHashMap<>(super.csv());
        all.put("tune-times", times.toString());
        return all;
    }

    @Override
    public Map<String, Chart> charts() {
        Chart chart = new Chart("Transfers of 4 MB at the entry of a path of 40 Mbit/s and 50 ms", "seconds to the last octet", "part of the transfers", Axes.LINEAR,
                List.of("Flows of others by CUBIC come and go. " + Stream.of(Way.values()).map(way -> way.system + ": " + way.rule).reduce((a, b) -> a + "; " + b).orElseThrow()));
        for (Way way : Way.values()) {
            List<Double> sorted = samples().of(way.seconds()).stream().sorted().toList();
            Series line = chart.line(way.system, way.colour, false);
            for (int i = 0; i < sorted.size(); i++) {
                line.add(sorted.get(i), (i + 1.0) / sorted.size());
            }
        }
        return samples().of(Way.SHAPED.seconds()).isEmpty() ? Map.of() : Map.of("tune", chart);
    }
}
