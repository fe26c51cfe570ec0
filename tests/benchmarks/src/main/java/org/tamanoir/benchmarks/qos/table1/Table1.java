package org.tamanoir.benchmarks.qos.table1;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.qos.QosPlan;
import org.tamanoir.benchmarks.qos.edge.EdgeLab;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.lab.LabException;

/** The table, measured. */
public final class Table1 {
    /** A link of so much suffices to be congested, and leaves the machine the time to be exact. */
    private static final long RATE = 50_000_000;
    private static final Duration PERIOD = Duration.ofSeconds(1);
    /** Probes as large as the packets of flows: a queue that is limited in octets has room for small ones when it drops these. */
    private static final String PROBES = ", octets: 1400, probes: 10, budget: 2mbit";
    private static final double SECONDS = 5;
    private static final double QUICK_SECONDS = 2;

    private Table1() {
    }

    /** As a {@link org.tamanoir.benchmarks.parts.Part}. */
    public static Outcome run(QosPlan plan, Consumer<String> progress) {
        Samples samples = new Samples();
        Map<String, String> classes = new TreeMap<>();
        List<String> failures = new ArrayList<>();
        long rate = Math.min(RATE, plan.rate());
        double seconds = plan.quick() ? QUICK_SECONDS : SECONDS;
        for (int run = 1; run <= plan.runs(); run++) {
            String of = "run " + run + " of " + plan.runs() + ", ";
            progress.accept(of + "starting nodes");
            try (EdgeLab lab = new EdgeLab(rate, PERIOD, PROBES)) {
                new ChosenFlows(lab, rate, seconds, samples, classes).measure(line -> progress.accept(of + line));
                new PlainFlows(lab, rate, seconds, samples).measure(line -> progress.accept(of + line));
            } catch (LabException e) {
                failures.add("table1, " + of + e.getMessage());
            }
        }
        return new Table1Outcome(rate, plan.runs(), samples, classes, failures);
    }
}
