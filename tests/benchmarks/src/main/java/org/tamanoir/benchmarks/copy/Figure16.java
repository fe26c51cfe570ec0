package org.tamanoir.benchmarks.copy;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.tamanoir.benchmarks.copy.CopyPlan.Cell;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.qos.edge.Bottleneck;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.Flows;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;

/**
 * DataGRID's figure 16 (network services, 2003): what 1 to 12 streams with windows of 64 KiB carry from Manchester to CERN, 21.4 ms away, where UDP had 460 Mbit/s. There
 * it was 25 Mbit/s a stream up to nine streams. Here the congestion window is held to 45 segments, which are 65,160 octets.
 */
public final class Figure16 extends MeasuredOutcome {
    private static final Duration RTT = Duration.ofNanos(21_400_000);
    private static final Cell LINK = new Cell(21, 460_000_000, 0);
    private static final int SEGMENTS = 45;
    private static final int SEGMENT = 1448;
    private static final double WINDOW_RATE = SEGMENTS * SEGMENT * 8 / 0.0214 / 1e6;
    private static final double PAPER = 25;
    private static final int MOST_STREAMS = 12;
    /** The paper's line is straight up to here. */
    private static final int STRAIGHT = 9;
    private static final double LEAST_PART = 0.95;
    private static final Duration RISE = Duration.ofMillis(2_500);
    private static final Duration COUNTED = Duration.ofSeconds(4);
    /** More than all streams carry meanwhile. */
    private static final long OCTETS = 500_000_000;
    private static final String FLOWS = "tcp";

    private final CopyPlan plan;
    private final List<String> systems = new ArrayList<>(List.of(FLOWS));

    private Figure16(CopyPlan plan, Measurements measured) {
        super("figure16", measured);
        this.plan = plan;
    }

    /** @throws LabException if the laboratory cannot be made */
    public static Outcome run(CopyPlan plan, Consumer<String> progress) {
        Figure16 figure = new Figure16(plan, new Measurements(progress));
        try (CopySite site = new CopySite(RTT, plan.control())) {
            figure.run(site);
        }
        return figure;
    }

    private void run(CopySite site) {
        site.become(LINK);
        site.holdWindow(SEGMENTS);
        Path file = site.serveFile(OCTETS);
        List<Copier> copiers = plan.copiers().stream().filter(copier -> copier.can(Copier.Can.ANY_STREAMS)).filter(copier -> measured.attempt("the server of " + copier.name(), () -> copier.serve(site))).toList();
        copiers.forEach(copier -> systems.add(copier.name()));
        measured.rounds(0, plan.rounds(), round -> IntStream.rangeClosed(1, MOST_STREAMS).forEach(streams -> {
            String what = streams + " streams, " + Measurements.name(round);
            measured.attempt(FLOWS + ", " + what, () -> {
                List<Flows.Flow> flows = site.beginFlows(CopyPlan.PRESET, streams, RISE.plus(COUNTED).multipliedBy(4));
                measured.add(rate(FLOWS, streams), counted(site));
                flows.forEach(Flows.Flow::end);
            });
            copiers.forEach(copier -> measured.attempt(copier.name() + ", " + what, () -> {
                Path to = site.folder("copies-" + copier.name() + streams + round).resolve("copy");
                try (LabProcess copy = site.here().host().start(copier.name(), copier.copy(site, file.getFileName().toString(), to, streams))) {
                    double rate = counted(site);
                    if (!copy.isAlive()) {
                        throw new LabException("it ended: " + copy.errors());
                    }
                    measured.add(rate(copier.name(), streams), rate);
                }
            }));
        }));
    }

    /** What comes over the link for some time: Mbit/s of payload. */
    private static double counted(CopySite site) {
        Pause.of(RISE);
        long before = site.here().statistics().rxBytes();
        long begun = System.nanoTime();
        Pause.of(COUNTED);
        long more = site.here().statistics().rxBytes() - before;
        return more * 8 * Bottleneck.TCP_PART * 1e3 / (System.nanoTime() - begun);
    }

    private static Key rate(String system, int streams) {
        return new Key("figure 16", system, 0, streams, "rate", "Mbit/s");
    }

    /** Mbit/s that each stream adds, by least squares; null if a point is missing. */
    private Double slope(String system) {
        double x = 0;
        double y = 0;
        double xx = 0;
        double xy = 0;
        for (int n = 1; n <= STRAIGHT; n++) {
            Double rate = samples().median(rate(system, n));
            if (rate == null) {
                return null;
            }
            x += n;
            y += rate;
            xx += n * n;
            xy += n * rate;
        }
        return (STRAIGHT * xy - x * y) / (STRAIGHT * xx - x * x);
    }

    @Override
    public List<Target> targets() {
        Double own = slope("tamanoir");
        Double flows = slope(FLOWS);
        // Of headers, and of what the machine adds to the round trip, plain flows of TCP have as much.
        return List.of(Target.atLeast("figure 16: what a stream of tamanoir adds, in parts of what a flow of TCP does", own == null || flows == null ? null : own / flows, LEAST_PART));
    }

    @Override
    public void print(PrintWriter out) {
        Table<Integer> table = new Table<>("streams, Mbit/s", String::valueOf);
        systems.forEach(system -> table.median(system, "%.1f", samples(), streams -> rate(system, streams)));
        table.number("paper", "%.0f", streams -> streams <= STRAIGHT ? PAPER * streams : null);
        table.print(out, IntStream.rangeClosed(1, MOST_STREAMS).boxed().toList());
        systems.forEach(system -> out.printf("%n%s: each stream adds %s Mbit/s; a window in a round trip is %.1f, the paper has %.0f", system,
                slope(system) == null ? "-" : "%.1f".formatted(slope(system)), WINDOW_RATE, PAPER));
        out.println();
    }
}
