package org.tamanoir.benchmarks.paths;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.paths.WadSite.Control;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;

/** What those beside a flow of WAD keep, for which its paper had no time; and, to compare, what they keep beside BBR and beside several flows of Reno. */
final class WadBeside extends MeasuredOutcome {
    /** At this rate and round trip flows meet often enough in the time of a run. */
    private static final long RATE = 50_000_000;
    private static final Duration ROUND_TRIP = Duration.ofMillis(40);
    private static final double LEAST_SECONDS = 30;
    private static final double QUICK_SECONDS = 8;
    private static final double WARM = 5;
    private static final int PARALLEL = 4;
    private static final List<Control> WATCHED = List.of(Control.RENO, Control.CUBIC);

    private final PathsPlan plan;

    private WadBeside(PathsPlan plan, Measurements measured) {
        super("wadbeside", measured);
        this.plan = plan;
    }

    private enum Beside {
        OWN_KIND("its own kind", 1), PARALLEL_RENO(PARALLEL + " of Reno", PARALLEL), BBR("BBR", 1), WAD("WAD", 1);

        private final String text;
        private final int flows;

        Beside(String text, int flows) {
            this.text = text;
            this.flows = flows;
        }

        private Control control(Control watched) {
            return switch (this) {
                case OWN_KIND -> watched;
                case PARALLEL_RENO -> Control.RENO;
                case BBR -> Control.BBR;
                case WAD -> Control.WAD;
            };
        }

        private Key key(Control watched, String metric) {
            return new Key("beside " + text, watched.system(), 0, flows, metric, "Mbit/s");
        }
    }

    static Outcome run(PathsPlan plan, Consumer<String> progress) {
        Measurements measured = new Measurements(progress);
        WadBeside beside = new WadBeside(plan, measured);
        measured.rounds(0, plan.rounds().count(), round -> {
            try (Workbench workbench = new Workbench()) {
                measured.attempt(Measurements.name(round), () -> beside.round(workbench, round));
            }
        });
        return beside;
    }

    private void round(Workbench workbench, int round) {
        try (WadSite site = new WadSite(workbench, RATE, ROUND_TRIP, 1)) {
            for (Control watched : WATCHED) {
                for (Beside beside : Measurements.turned(List.of(Beside.values()), round)) {
                    measured.attempt(watched.system() + " beside " + beside.text, () -> measure(site, watched, beside));
                }
            }
        }
    }

    private void measure(WadSite site, Control watched, Beside beside) {
        Control other = beside.control(watched);
        List<Control> controls = new ArrayList<>(List.of(watched));
        List<Integer> receivers = new ArrayList<>(List.of(WadSite.UNTUNED));
        for (int i = 0; i < beside.flows; i++) {
            controls.add(other);
            receivers.add(other == Control.WAD ? WadSite.TUNED : WadSite.BESIDE);
        }
        double[] rates = site.rates(controls, receivers, WARM, plan.quick() ? QUICK_SECONDS : Math.max(LEAST_SECONDS, 3 * plan.rounds().seconds()));
        measured.add(beside.key(watched, "rate"), rates[0]);
        measured.add(beside.key(watched, "rate of the others"), rates[1]);
    }

    /** Beside its own kind it has half of what both get, whichever of the two begins better. */
    private Double kept(Control watched, Beside beside) {
        Double own = samples().median(Beside.OWN_KIND.key(watched, "rate"));
        Double twin = samples().median(Beside.OWN_KIND.key(watched, "rate of the others"));
        Double now = samples().median(beside.key(watched, "rate"));
        return own == null || twin == null || now == null ? null : now / ((own + twin) / 2);
    }

    @Override
    public void print(PrintWriter out) {
        super.print(out);
        for (Control watched : WATCHED) {
            for (Beside beside : Beside.values()) {
                Double kept = kept(watched, beside);
                if (beside != Beside.OWN_KIND && kept != null) {
                    out.printf(Locale.ROOT, "A flow of %s beside %s keeps %.3f of what it has beside its own kind.%n", watched.name(), beside.text, kept);
                }
            }
        }
        out.printf(Locale.ROOT, "%d Mbit/s, %d ms, a queue of one window; nothing is lost but by the queue. By the response function a flow of WAD has 14.6 times the share of one of Reno at equal loss.%n",
                RATE / 1_000_000, ROUND_TRIP.toMillis());
    }
}
