package org.tamanoir.benchmarks.qos.qbss;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.qos.QosPlan;
import org.tamanoir.benchmarks.report.Measurements;

/** Background traffic beside best effort ("DataGRID network services", 2002, annex A): LBE takes what is left and gives it back at once. */
public final class Qbss {
    /**
     * An experiment: one stream of LBE all the time, and best effort for a while.
     *
     * @param figure  of the paper
     * @param name    for files and rows
     * @param streams of best effort, or 0 for datagrams at half the rate of the link
     */
    record Experiment(int figure, String name, int streams) {
        static final List<Experiment> ALL = List.of(new Experiment(6, "one-stream", 1), new Experiment(7, "three-streams", 3),
                new Experiment(8, "datagrams", 0));

        /** How many flows of best effort there are. */
        int flows() {
            return Math.max(1, streams);
        }

        boolean isDatagrams() {
            return streams == 0;
        }

        String title() {
            return String.format(Locale.ROOT, "LBE beside best effort: %s (figure %d)", name.replace('-', ' '), figure);
        }
    }

    /**
     * When what happens, in seconds from the first octet of LBE.
     *
     * @param begin  the first flow of best effort begins
     * @param apart  and each other so much later, and ends so much later
     * @param length of each flow of best effort
     * @param after  how long LBE goes on alone
     */
    record Times(double begin, double apart, double length, double after) {
        static final Times WHOLE = new Times(6, 2, 8, 6);
        static final Times QUICK = new Times(2, 0.5, 3, 3);

        double begin(int flow) {
            return begin + apart * flow;
        }

        double end(int flow) {
            return begin(flow) + length;
        }

        double end(Experiment experiment) {
            return end(experiment.flows() - 1) + after;
        }
    }

    private Qbss() {
    }

    /** As a {@link org.tamanoir.benchmarks.parts.Part}. */
    public static Outcome run(QosPlan plan, Consumer<String> progress) {
        return run(plan.rate(), Experiment.ALL, plan.runs(), plan.quick() ? Times.QUICK : Times.WHOLE, progress);
    }

    static QbssOutcome run(long rate, List<Experiment> experiments, int runs, Times times, Consumer<String> progress) {
        Measurements measured = new Measurements(progress);
        List<Series> series = new ArrayList<>();
        try (QbssLab lab = new QbssLab(rate)) {
            measured.rounds(0, runs, run -> experiments.forEach(experiment -> measured.attempt(experiment.name() + ", " + Measurements.name(run),
                    () -> series.add(lab.run(experiment, times)))));
        }
        return new QbssOutcome(rate, series, measured);
    }
}
