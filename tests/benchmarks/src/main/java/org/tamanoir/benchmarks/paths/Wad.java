package org.tamanoir.benchmarks.paths;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.paths.WadSite.Control;
import org.tamanoir.benchmarks.plot.Chart;
import org.tamanoir.benchmarks.plot.Chart.Axes;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.Loss;
import org.tamanoir.lab.Windows;
import org.tamanoir.lab.Windows.Sample;

/**
 * The Work Around Daemon of 2003 (figures 9 and 10 of its paper), by {@code host tune run}: how long a loss is felt, what flows reach where every so many-th packet
 * is lost.
 */
public final class Wad extends MeasuredOutcome {
    private static final long RATE = 100_000_000;
    private static final Duration ROUND_TRIP = Duration.ofMillis(100);
    /** Room for all that limited slow start overshoots. */
    private static final double WIDE_QUEUE = 2;
    private static final int LOSS_EVERY = 10_000;
    private static final int QUICK_LOSS_EVERY = 2_000;
    private static final double RECOVERED = 0.995;
    /** Longer than Reno takes by the model, 43 s. */
    private static final double RENO_PATIENCE = 60;
    private static final double FILLED = 0.98;
    private static final double START_PATIENCE = 20;
    /** Seconds from a loss, in which the window is smallest: WAD has made up for it after a third of a second, Reno has begun to. */
    private static final double TOOTH_END = 1.5;
    private static final double LEAST_SECONDS = 30;
    private static final double QUICK_SECONDS = 8;
    private static final double WARM = 5;
    private static final double LIMIT_SECONDS = 3;
    private static final String PAPER = "2003: 200 and 700 Mbit/s over 98 ms at 1 Gbit/s, without losses of the network but those that the hosts' own interfaces made";

    private static final double MOST_TOOTH = 0.05;
    private static final double MOST_RECOVERY = 1;
    private static final double LEAST_RENO_RECOVERY = 30;
    private static final double LEAST_RATIO = 3.5;

    private final PathsPlan plan;
    /** Of the first round: windows by time from the loss. */
    private final Map<String, TreeMap<Double, Double>> curves = new LinkedHashMap<>();
    private String conditions = "";

    private Wad(PathsPlan plan, Measurements measured) {
        super("wad", measured);
        this.plan = plan;
    }

    static Outcome run(PathsPlan plan, Consumer<String> progress) {
        Measurements measured = new Measurements(progress);
        Wad wad = new Wad(plan, measured);
        measured.rounds(0, plan.rounds().count(), round -> {
            try (Workbench workbench = new Workbench()) {
                measured.attempt(Measurements.name(round), () -> wad.losses(workbench, round));
            }
        });
        return wad;
    }

    private double seconds() {
        return plan.quick() ? QUICK_SECONDS : Math.max(LEAST_SECONDS, 3 * plan.rounds().seconds());
    }

    private int lossEvery() {
        return plan.quick() ? QUICK_LOSS_EVERY : LOSS_EVERY;
    }

    private static Key key(String benchCase, String system, int flows, String metric, String unit) {
        return new Key(benchCase, system, 0, flows, metric, unit);
    }

    private void losses(Workbench workbench, int round) {
        try (WadSite site = new WadSite(workbench, RATE, ROUND_TRIP, WIDE_QUEUE)) {
            double[] limit = site.limit(LIMIT_SECONDS);
            double trip = site.roundTripMillis();
            measured.add(key("limit", "delay box", 1, "rate", "Mbit/s"), limit[1]);
            measured.add(key("limit", "delay box", 1, "dropped", "frames"), limit[2]);
            measured.add(key("limit", "delay box", 1, "round trip", "ms"), trip);
            conditions = String.format(Locale.ROOT, "%s. Limit: %.1f of %.1f Mbit/s of datagrams come, the box drops %.0f frames, an empty round trip takes %.1f ms", site.describe(), limit[1], limit[0],
                    limit[2], trip);
            measured.doing(conditions);
            site.bound(site.window());
            for (Control control : Measurements.turned(List.of(Control.WAD, Control.RENO), round)) {
                measured.attempt("one loss, " + control.system(), () -> oneLoss(site, control, round));
            }
            site.bound(0);
            for (Control control : Measurements.turned(List.of(Control.values()), round)) {
                measured.attempt("every " + lossEvery() + "th packet lost, " + control.system(), () -> periodicLoss(site, control));
            }
        }
    }

    private void oneLoss(WadSite site, Control control, int round) {
        Loss loss = site.loss(control.receiver());
        double last = control == Control.RENO && !plan.quick() ? RENO_PATIENCE : 5;
        try (Windows windows = site.windows()) {
            int port = site.start(windows, control.receiver(), control.asked(), START_PATIENCE + last + 5);
            double wanted = FILLED * site.window();
            await(windows, port, START_PATIENCE, sample -> sample.window() >= wanted, "the window stays below " + wanted);
            Pause.millis(1_000);
            Sample before = newest(windows, port);
            double at = windows.now();
            loss.changeToOne(port);
            double back = Double.NaN;
            while (windows.now() < at + last && (Double.isNaN(back) || windows.now() < at + TOOTH_END)) {
                Pause.millis(50);
                back = back(windows.samples().stream().filter(each -> each.localPort() == port && each.seconds() > at).toList(), before.window(), at);
            }
            List<Sample> after = windows.samples().stream().filter(each -> each.localPort() == port && each.seconds() > at).toList();
            double least = after.stream().filter(each -> each.seconds() < at + TOOTH_END).mapToInt(Sample::window).min().orElse(0);
            String name = control.system();
            measured.add(key("one loss", name, 1, "window before", "segments"), before.window());
            measured.add(key("one loss", name, 1, "tooth", "ratio"), 1 - Math.min(1, least / before.window()));
            measured.add(key("one loss", name, 1, "recovery", "s"), Double.isNaN(back) ? last : back);
            if (round == 0) {
                TreeMap<Double, Double> curve = curves.computeIfAbsent(name, unused -> new TreeMap<>());
                windows.samples().stream().filter(each -> each.localPort() == port).forEach(each -> curve.put(each.seconds() - at, (double) each.window()));
            }
        } finally {
            loss.end();
            site.endFlows();
        }
    }

    /** Seconds from a loss until the window has fallen and is back; NaN before. */
    private static double back(List<Sample> after, int before, double at) {
        boolean fell = false;
        for (Sample each : after) {
            fell |= each.window() < before;
            if (fell && each.window() >= RECOVERED * before) {
                return each.seconds() - at;
            }
        }
        return Double.NaN;
    }

    private interface Wanted {
        boolean holds(Sample sample);
    }

    private static void await(Windows windows, int port, double seconds, Wanted wanted, String otherwise) {
        for (double end = windows.now() + seconds; windows.now() < end; Pause.millis(50)) {
            if (wanted.holds(newest(windows, port))) {
                return;
            }
        }
        throw new LabException(otherwise);
    }

    private static Sample newest(Windows windows, int port) {
        return windows.samples().stream().filter(each -> each.localPort() == port).reduce((first, second) -> second).orElseThrow(() -> new LabException("the flow is gone"));
    }

    private void periodicLoss(WadSite site, Control control) {
        Loss loss = site.loss(control.receiver());
        loss.changeToEvery(lossEvery());
        try {
            measured.add(key("periodic loss", control.system(), 1, "rate", "Mbit/s"), site.rates(List.of(control), List.of(control.receiver()), WARM, seconds())[0]);
        } finally {
            loss.end();
        }
    }

    private Double loss(Control control, String metric, String unit) {
        return samples().median(key("one loss", control.system(), 1, metric, unit));
    }

    private Double periodic(Control control) {
        return samples().median(key("periodic loss", control.system(), 1, "rate", "Mbit/s"));
    }

    private Double ratio() {
        return periodic(Control.WAD) == null || periodic(Control.RENO) == null ? null : periodic(Control.WAD) / periodic(Control.RENO);
    }

    @Override
    public List<Target> targets() {
        List<Target> targets = new ArrayList<>(List.of(Target.atMost("wad: part of the window that one loss costs", loss(Control.WAD, "tooth", "ratio"), MOST_TOOTH),
                Target.atMost("wad: seconds until a loss is made up for", loss(Control.WAD, "recovery", "s"), MOST_RECOVERY)));
        if (!plan.quick()) {
            targets.add(Target.atLeast("wad: seconds until Reno has made up for it", loss(Control.RENO, "recovery", "s"), LEAST_RENO_RECOVERY));
        }
        targets.add(Target.atLeast("wad: times Reno's rate where every " + lossEvery() + "th packet is lost", ratio(), LEAST_RATIO));
        return targets;
    }

    @Override
    public void print(PrintWriter out) {
        super.print(out);
        out.println(conditions + ".");
        out.println(PAPER + ": 3.5 times. By the response function a flow of these numbers has 14.6 times the share of a Reno flow at equal loss.");
    }

    @Override
    public Map<String, String> csv() {
        Map<String, String> files = new LinkedHashMap<>(super.csv());
        StringBuilder windows = new StringBuilder("congestion,seconds_from_loss,window_segments\r\n");
        curves.forEach((name, curve) -> curve.forEach((at, window) -> windows.append(String.format(Locale.ROOT, "%s,%.3f,%.0f\r\n", name, at, window))));
        files.put("wad-window", windows.toString());
        return files;
    }

    @Override
    public Map<String, Chart> charts() {
        Chart chart = new Chart("One loss, with standard TCP and with WAD (as figures 9 and 10 of 2003)", "seconds from the start of the flow", "congestion window, segments", Axes.LINEAR,
                List.of("100 Mbit/s, 100 ms; the first round. " + PAPER + "."));
        String[] colours = {"#0b6e4f", "#c8553d"};
        int line = 0;
        for (Map.Entry<String, TreeMap<Double, Double>> curve : curves.entrySet()) {
            Chart.Series series = chart.line(curve.getKey().toUpperCase(Locale.ROOT), colours[line++ % colours.length], false);
            double begin = curve.getValue().firstKey();
            curve.getValue().forEach((at, window) -> series.add(at - begin, window));
        }
        return Map.of("wad-window", chart);
    }
}
