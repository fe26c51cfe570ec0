package org.tamanoir.benchmarks.qos.cost;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;

/** Ratios and errors, and what follows from them. */
final class CostOutcome implements Outcome {
    private static final double LEFT = 0.95;
    private static final double ERROR_PERCENT = 0.1;
    private static final String POLICING = "policing";

    private final Samples samples;
    private final List<String> failures;

    CostOutcome(Samples samples, List<String> failures) {
        this.samples = samples;
        this.failures = failures;
    }

    static Key error(String side) {
        return new Key(POLICING, side, 0, 1, "rate-error", "%");
    }

    static Key offered(String side) {
        return new Key(POLICING, side, 0, 1, "offered", "of committed rate");
    }

    @Override
    public List<Row> rows() {
        return samples.rows();
    }

    @Override
    public List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (String side : List.of("kernel", "node")) {
            targets.add(Target.atLeast("cost: datagrams that are metered and marked by a rule in the " + side + ", of those that only a rule counts",
                    samples.median(CostRuns.ratio(CostRuns.UDP + side, Way.SESSION, CostRuns.DATAGRAM, true)), LEFT));
        }
        for (int octets : CostRuns.FRAMES) {
            targets.add(Target.atLeast("cost: a stream of " + octets + " octets that is metered and marked, of one that is forwarded",
                    samples.median(CostRuns.ratio(CostRuns.TCP + "node", Way.SESSION, octets, false)), LEFT));
        }
        for (String side : List.of("kernel", "node")) {
            Double error = samples.of(error(side)).stream().map(Math::abs).max(Double::compare).orElse(null);
            targets.add(Target.atMost("policing in the " + side + ", error of the rate in percent, the largest", error, ERROR_PERCENT));
        }
        return targets;
    }

    @Override
    public List<String> failures() {
        return failures;
    }

    @Override
    public void print(PrintWriter out) {
        out.println("Cost of marking and policing: packets for each second of CPU time of client, node, server and soft interrupts, on one CPU");
        for (Row row : samples.rows()) {
            if (row.benchCase().startsWith("cost-")) {
                out.printf(Locale.ROOT, "  %-16s %-20s %6d octets   %-22s %12.4f %-8s (%d runs, %.4f to %.4f)%n", row.benchCase(), row.system(), row.packet(),
                        row.metric(), row.value(), row.unit(), row.runs(), row.low(), row.high());
            }
        }
        out.printf(Locale.ROOT, "Policing at %.0f Mbit/s of IP packets, one and a half times as much offered%n", Policing.COMMITTED * 8 / 1e6);
        for (String side : List.of("kernel", "node")) {
            List<Double> errors = samples.of(error(side));
            out.printf(Locale.ROOT, "  in the %-8s error of the rate %s %%, offered %s times the rate%n", side, text(errors), text(samples.of(offered(side))));
        }
        out.println();
    }

    private static String text(List<Double> values) {
        return values.isEmpty() ? "-" : String.join(", ", values.stream().map(value -> String.format(Locale.ROOT, "%.4f", value)).toList());
    }

    @Override
    public Map<String, String> csv() {
        StringBuilder csv = new StringBuilder("case,system,octets,metric,median,low,high,runs,unit\r\n");
        for (Row row : samples.rows()) {
            csv.append(String.format(Locale.ROOT, "%s,%s,%d,%s,%s,%s,%s,%d,%s\r\n", row.benchCase(), row.system(), row.packet(), row.metric(), row.value(),
                    row.low(), row.high(), row.runs(), row.unit()));
        }
        return Map.of("cost", csv.toString());
    }
}
